-- beside: 0026
-- Second factors: one-time codes, passkeys, recovery codes; and when a session last showed one.

-- null: it was opened by a password alone.
alter table platform.session add column factor_at timestamptz;

create table platform.factor (
  id bigint generated always as identity primary key,
  account_id bigint not null references platform.account on delete cascade,
  kind text not null check (kind in ('totp', 'passkey')),
  name text not null,
  -- of one-time codes: what the phone and we both know, in base32
  seed text,
  -- of a passkey: its key (COSE), its name for itself, how it is reached, and the host that it is of
  public_key bytea,
  credential_id text,
  transports text[],
  rp_id text,
  -- the last step of 30 seconds whose code was taken; what a passkey counted when it was last used
  counter bigint not null default 0,
  -- steps to come whose code was shown to us too early: whoever was told so does not get in by it later
  told_steps bigint[] not null default '{}',
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  -- null: the first code has not come yet
  confirmed_at timestamptz,
  constraint factor_credential_key unique (credential_id),
  check (case kind when 'totp' then seed is not null else public_key is not null and credential_id is not null and rp_id is not null end)
);
create index factor_account on platform.factor (account_id);
-- One that holds, and beside it one that is being set up.
create unique index factor_totp on platform.factor (account_id, (confirmed_at is null)) where kind = 'totp';

create table platform.recovery_code (
  account_id bigint not null references platform.account on delete cascade,
  code_hash bytea not null,
  used_at timestamptz,
  primary key (account_id, code_hash)
);

-- What a passkey has to sign next, for one session.
create table platform.factor_challenge (
  session_id bigint not null references platform.session on delete cascade,
  purpose text not null check (purpose in ('enrol', 'show')),
  challenge text not null,
  created_at timestamptz not null default now(),
  primary key (session_id, purpose)
);
