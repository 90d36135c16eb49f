"""ResponseObservation, part by part."""
