-- Every certificate that ever sealed a document: files that it sealed are verified by it forever. Real time, as
-- with sign-ins.
create table seal_certificates (
    -- SHA-256 of the certificate.
    fingerprint bytea primary key,
    -- PEM: the certificate, and those that vouch for it.
    certificates text not null,
    -- The private key, sealed with the secret key; without one it is in the operator's file, or was replaced and
    -- is gone for good.
    sealed_key bytea,
    added_at timestamptz not null,
    replaced_at timestamptz
);
-- At most one key of ours: whoever makes or replaces it second finds the other's.
create unique index one_seal_key on seal_certificates ((true)) where sealed_key is not null;
