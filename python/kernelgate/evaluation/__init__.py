"""Many candidates: each is judged once, by whatever engine is there. Start at `conduct.judge_all`."""
