"""Referral rules: small named functions, all of them run, every reason kept."""
