"""Pictures of battles: images and animations in the style of the page."""
