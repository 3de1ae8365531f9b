-- beside: 0026
-- Keys of service accounts, which are accounts of the service 'service-account': nobody signs in there, so they have no password.

create table platform.access_key (
  id bigint generated always as identity primary key,
  account_id bigint not null references platform.account on delete cascade,
  name text not null,
  -- SHA-256 of the random part; the key is shown once and kept nowhere
  secret_hash bytea not null,
  -- null: all that the account has
  rights text[],
  -- from where it may come; null: from anywhere
  networks text[],
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  -- a key is rotated once: two who do it at once do not make two
  rotated_at timestamptz,
  check (expires_at <= created_at + interval '366 days')
);
create index access_key_account on platform.access_key (account_id);

-- Apart from the key, whose row a write holds while it runs.
create table platform.access_key_use (
  key_id bigint not null references platform.access_key on delete cascade,
  day date not null,
  uses bigint not null,
  last_at timestamptz not null,
  primary key (key_id, day)
);
