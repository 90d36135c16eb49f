"""What every network promises: memory, permutations, sizes, gradients."""

import pytest
import torch

from terrarium.config import layer_from_words
from terrarium.envs.tasks.spec import Spec, spec_of
from terrarium.errors import TerrariumError
from terrarium.marl.batch import Obs, parts
from terrarium.marl.net_config import NetConfig, NetError, PartConfig
from terrarium.marl.nets.actor import make_actor
from terrarium.marl.nets.cores import CORES
from terrarium.marl.nets.critic import Critic
from terrarium.marl.nets.encoders import ENCODERS
from terrarium.marl.settings import from_layers
from terrarium.testing.networks import check_carries, check_sequences, check_weights
from tests.marl.small_nets import ENTITY_ENCODERS, EVERY_ENTITY_NET, EVERY_NET, battles, small


@EVERY_NET
@pytest.mark.parametrize("name", ["smac/3m", "smac/MMM", "skills/medivac_drop"])
def test_learning_sees_what_acting_saw(cfg: NetConfig, name: str) -> None:
    check_sequences(cfg, name)


@EVERY_NET
def test_a_stretch_goes_on_where_the_last_one_ended(cfg: NetConfig) -> None:
    check_carries(cfg)


@EVERY_NET
def test_unavailable_actions_have_no_chance_and_every_weight_learns(cfg: NetConfig) -> None:
    check_weights(cfg)


@EVERY_ENTITY_NET
def test_the_dead_see_nothing_and_nobody_sees_the_unseen(cfg: NetConfig) -> None:
    """Whatever is written about those an agent does not see, its answers stay the same."""
    torch.manual_seed(0)
    env, seen, begins = battles("smac/2s3z", n_steps=30)
    acting, obs = seen.swap().acting, seen.swap()
    assert not acting.all()
    actor = make_actor(spec_of(env.info), cfg)
    none = torch.zeros(begins.shape[1], 5, actor.carry_size)
    other = Obs(*(part.clone() for part in parts(obs)))
    other.pairs[~other.mask] += 0.3
    other.table[~other.mask.any(-2)] += 0.3  # of those that nobody sees, the dead among them
    with torch.no_grad():
        one, two = (actor(what, none, begins.T)[0] for what in (obs, other))
        torch.testing.assert_close(one, two, rtol=0, atol=1e-5)
        if cfg.core == "none":  # others remember, but are told nothing new
            assert not actor.encode(obs, none, begins.T).features[~acting].any()


@EVERY_ENTITY_NET
def test_permuting_enemies_permutes_what_aims_at_them(cfg: NetConfig) -> None:
    torch.manual_seed(0)
    env, seen, begins = battles("smac/2s3z")
    actor, critic = make_actor(spec_of(env.info), cfg), Critic(spec_of(env.info), cfg, central=True)
    order = torch.tensor([2, 0, 4, 1, 3])
    members = torch.cat((torch.arange(5), 5 + order))
    actions = torch.cat((torch.arange(6), 6 + order))
    other = Obs(
        seen.table[:, :, members],
        seen.pairs[:, :, :, members],
        seen.mask[..., members],
        seen.alive[..., members],
        seen.avail[..., actions],
        seen.vector,
        seen.state,
    )
    none = torch.zeros(begins.shape[1], 5, actor.carry_size)
    with torch.no_grad():
        one, _ = actor(seen.swap(), none, begins.T)
        two, _ = actor(other.swap(), none, begins.T)
        torch.testing.assert_close(one[..., actions], two, rtol=0, atol=1e-5)
        torch.testing.assert_close(critic(seen), critic(other), rtol=0, atol=1e-5)


@EVERY_ENTITY_NET
def test_a_policy_of_one_scenario_runs_on_another(cfg: NetConfig) -> None:
    small, _, _ = battles("smac/3m", n_steps=1)
    policy = make_actor(spec_of(small.info), cfg)
    for name in ("smac/8m", "smac/MMM2", "smacv2/protoss_5_vs_5", "smac/2c_vs_64zg"):
        env, seen, begins = battles(name, n_steps=3)
        other = make_actor(spec_of(env.info), cfg)
        other.load_state_dict(policy.state_dict())
        none = torch.zeros(begins.shape[1], env.n_agents, other.carry_size)
        logits, _ = other(seen.swap(), none, begins.T)
        assert logits.shape == (4, 3, env.n_agents, env.info.n_actions)


def test_the_critic_does_not_grow_with_the_armies() -> None:
    sizes = set()
    for name in ("smac/3m", "smac/27m_vs_30m"):
        env, _, _ = battles(name, n_envs=1, n_steps=1)
        critic = Critic(spec_of(env.info), NetConfig(), central=True)
        sizes.add((sum(weight.numel() for weight in critic.parameters()), critic.n_inputs))
    assert len(sizes) == 1


@pytest.mark.parametrize("central", [True, False])
@pytest.mark.parametrize("encoder", ENCODERS)
def test_values_are_one_number_for_each_agent_and_the_dead_do_not_disturb(
    encoder: str, central: bool
) -> None:
    torch.manual_seed(0)
    env, seen, _ = battles("smac/3m")
    critic = Critic(spec_of(env.info), small(encoder, "none"), central)
    values = critic(seen)
    assert values.shape == (12, 4, 3)
    assert values.isfinite().all()
    if encoder in ENTITY_ENCODERS and central:
        noisy = Obs(*(part.clone() for part in parts(seen)))
        noisy.table[~noisy.alive] = 7.0
        torch.testing.assert_close(critic(noisy), values)


def equal_rows(obs: Obs, n: int) -> Obs:
    """`n` agents against `n` enemies: all of a side are alike, stand together and see everybody."""
    ally, enemy = obs.table[0, :1], obs.table[0, 3:4]
    pairs = torch.cat((obs.pairs[0, 0, 1:2].expand(n, -1), obs.pairs[0, 0, 3:4].expand(n, -1)))
    return Obs(
        table=torch.cat((ally.expand(n, -1), enemy.expand(n, -1))),
        pairs=pairs.expand(n, -1, -1),
        mask=torch.ones((n, 2 * n), dtype=torch.bool),
        alive=torch.ones(2 * n, dtype=torch.bool),
        avail=obs.avail[0, :1, :7].expand(n, -1),
        vector=obs.vector[0, :0],
        state=obs.state[0],
    )[None]


def test_a_critic_tells_one_against_one_from_five_against_five() -> None:
    torch.manual_seed(0)
    env, seen, _ = battles("smac/3m", n_steps=1)
    critic = Critic(spec_of(env.info), NetConfig(), central=True)
    values = [float(critic(equal_rows(seen[0], n))[0, 0].detach()) for n in (1, 3, 5)]
    assert min(abs(values[0] - values[1]), abs(values[1] - values[2])) > 1e-3


@pytest.mark.parametrize("encoder", ENTITY_ENCODERS)
def test_agents_tell_few_from_many(encoder: str) -> None:
    torch.manual_seed(0)
    env, seen, _ = battles("smac/3m", n_steps=1)
    actor = make_actor(spec_of(env.info), small(encoder, "none"))
    answers = []
    for n in (1, 3, 5):
        obs = equal_rows(seen[0], n)[None]
        begins = torch.zeros((1, 1), dtype=torch.bool)
        answers.append(actor.encode(obs, torch.zeros(1, n, 0), begins).features[0, 0, 0])
    assert not torch.allclose(answers[0], answers[1], atol=1e-3)
    assert not torch.allclose(answers[1], answers[2], atol=1e-3)


@pytest.mark.parametrize("encoder", ENTITY_ENCODERS)
def test_a_healer_aims_at_allies(encoder: str) -> None:
    torch.manual_seed(0)
    env, seen, begins = battles("smac/MMM")
    actor = make_actor(spec_of(env.info), small(encoder, "none"))
    changed = Obs(*(part.clone() for part in parts(seen)))
    changed.pairs[..., 10:, 0] += 0.5  # enemies stand elsewhere; queries of others change too
    changed.mask[..., 10:] = seen.mask[..., 10:] = False  # and nobody sees them
    none = torch.zeros(4, 10, 0)
    with torch.no_grad():
        one, _ = actor(seen.swap(), none, begins.T)
        two, _ = actor(changed.swap(), none, begins.T)
    torch.testing.assert_close(one[:, :, 9], two[:, :, 9])  # the Medivac
    assert not torch.equal(one[:, :, :9], two[:, :, :9])


def test_separate_networks_answer_each_for_one_agent() -> None:
    torch.manual_seed(0)
    env, seen, begins = battles("smac/3m")
    cfg = NetConfig(core="gru", hidden_dim=16, share_params=False)
    actors = make_actor(spec_of(env.info), cfg)
    none = torch.zeros(4, 3, actors.carry_size)
    logits, _ = actors(seen.swap(), none, begins.T)
    logits[:, :, 1][seen.swap().avail[:, :, 1]].sum().backward()
    for a in range(3):
        touched = any(
            weight.grad is not None and bool(weight.grad.any())
            for weight in actors.actors[a].parameters()  # type: ignore[union-attr]
        )
        assert touched == (a == 1)
    other, _, _ = battles("smac/8m", n_steps=1)
    _, seen, begins = battles("smac/8m", n_steps=1)
    with pytest.raises(NetError, match="3 networks and the scenario 8 agents"):
        actors(seen.swap(), torch.zeros(4, 8, actors.carry_size), begins.T)
    other.close()


def test_vectors_of_another_scenario_are_refused() -> None:
    env, _, _ = battles("smac/3m", n_steps=1)
    actor = make_actor(spec_of(env.info), NetConfig(encoder="mlp", hidden_dim=16, core="none"))
    _, seen, begins = battles("smac/8m", n_steps=1)
    with pytest.raises(NetError, match="reads vectors of 30 numbers and the scenario shows 80"):
        actor(seen.swap(), torch.zeros(4, 8, 0), begins.T)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("net.core=ltsm", 'net.core is "ltsm". Did you mean "lstm"?'),
        ("net.encoder=hnp", 'net.encoder is "hnp". Did you mean "hpn"?'),
        ("encoder.grid_size=11", "encoder.grid_size is a setting of net.encoder=cnn"),
        ("net.encoder=cnn encoder.grid_size=2", "encoder.grid_size is 2; allowed: 3 to 64"),
        ("net.core=token", "net.encoder is attention; use net.encoder=transformer"),
        ("net.comm=comnet", 'net.comm is "comnet". Did you mean "commnet"?'),
        ("net.comm=tarmac comm.n_rounds=0", "comm.n_rounds is 0; allowed: 1 to 16"),
        ("net.hidden_dim=0", "net.hidden_dim is 0; allowed: 4 to 4096"),
        (
            "net.core=transformer net.hidden_dim=30 core.n_heads=4",
            "must be a multiple of core.n_heads, such as 32",
        ),
        (
            "net.core=gru net.encoder=transformer net.hidden_dim=30 encoder.n_heads=4",
            "transformer encoder net.hidden_dim must be a multiple of encoder.n_heads",
        ),
    ],
)
def test_settings_that_cannot_be(words: str, message: str) -> None:
    with pytest.raises(TerrariumError) as caught:
        from_layers("mappo", "smac/3m", [layer_from_words(words.split())])
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("share", [True, False])
def test_default_weights_are_those_of_pytorchs_layers(share: bool) -> None:
    """A uniform distribution whose bound is one over the root of the inputs, as in PyMARL."""
    torch.manual_seed(0)
    cfg = NetConfig("linear", "gru", hidden_dim=64, share_params=share, init="default")
    actor = make_actor(Spec(3, 9, 6, 30, 0), cfg)
    layers = [layer for layer in actor.modules() if isinstance(layer, torch.nn.Linear)]
    assert len(layers) == (4 if share else 12)
    for layer in layers:
        bound = layer.in_features**-0.5
        for weights in (layer.weight, layer.bias):
            if weights is not None and weights.numel() > 100:
                assert 0.95 * bound < float(weights.detach().abs().max()) <= bound
                assert float(weights.detach().std()) == pytest.approx(bound / 3**0.5, rel=0.1)
    orthogonal = make_actor(Spec(3, 9, 6, 30, 0), NetConfig("linear", "gru", hidden_dim=64))
    assert not orthogonal.core.drive.bias.any()  # type: ignore[union-attr]


@pytest.mark.parametrize("kind", ["gru", "lstm"])
def test_memories_equal_those_of_torch_with_their_gradients(kind: str) -> None:
    torch.manual_seed(0)
    n_rows, n_steps, n_agents, width = 5, 9, 2, 6
    core = CORES[kind](NetConfig(hidden_dim=width), PartConfig()).double()
    twin = {"gru": torch.nn.GRU, "lstm": torch.nn.LSTM}[kind](width, width).double()
    with torch.no_grad():
        twin.weight_ih_l0.copy_(core.drive.weight)
        twin.bias_ih_l0.copy_(core.drive.bias)
        twin.weight_hh_l0.copy_(core.recall.weight)
        twin.bias_hh_l0.zero_()
    x = torch.randn(n_rows, n_steps, n_agents, width, dtype=torch.float64, requires_grad=True)
    carry = torch.randn(n_rows, n_agents, core.carry_size, dtype=torch.float64, requires_grad=True)
    resets = torch.rand(n_rows, n_steps) < 0.3

    def naive() -> tuple[torch.Tensor, torch.Tensor]:
        """One call for each row, step and agent."""
        out, ends = torch.zeros_like(x), torch.zeros_like(carry)
        for b in range(n_rows):
            for a in range(n_agents):
                state = carry[b, a].view(1, 1, -1)
                for t in range(n_steps):
                    state = state * (0.0 if resets[b, t] else 1.0)
                    parts = tuple(
                        part.contiguous() for part in state.chunk(core.carry_size // width, -1)
                    )
                    seen, after = twin(
                        x[b, t, a].view(1, 1, -1), parts if kind == "lstm" else parts[0]
                    )
                    state = torch.cat(after, -1) if kind == "lstm" else after
                    out[b, t, a] = seen.view(-1)
                ends[b, a] = state.view(-1)
        return out, ends

    ours, theirs = core(x, carry, resets), naive()
    weigh = torch.randn_like(theirs[0]), torch.randn_like(theirs[1])
    grads = []
    for answer, cell in ((ours, core), (theirs, twin)):
        total = sum((part * weight).sum() for part, weight in zip(answer, weigh, strict=True))
        weights = (
            [core.drive.weight, core.drive.bias, core.recall.weight]
            if cell is core
            else [twin.weight_ih_l0, twin.bias_ih_l0, twin.weight_hh_l0]
        )
        grads.append(torch.autograd.grad(total, [x, carry, *weights]))
    for one, other in zip((*ours, *grads[0]), (*theirs, *grads[1]), strict=True):
        torch.testing.assert_close(one, other)
