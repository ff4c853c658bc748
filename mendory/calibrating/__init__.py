"""Calibration: the threshold of a space and language, from pairs the owner has labelled and from people's verdicts."""

from mendory.calibrating.calibration import Calibration, TooFew, calibrate
from mendory.calibrating.labels import Labelled, read_labels
from mendory.calibrating.run import Calibrated, run

__all__ = ["Calibrated", "Calibration", "Labelled", "TooFew", "calibrate", "read_labels", "run"]
