"""What the judgement of two texts is worth on labelled pairs, beside plain baselines in the same run."""
