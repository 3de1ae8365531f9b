-- beside: 0029
-- Signing on by the campus: whose identity opens which account, and the attempts that are under way.

create table platform.external_identity (
  id bigint generated always as identity primary key,
  provider text not null check (provider in ('oidc', 'cas')),
  -- who answers for the identity: at another issuer the same one is somebody else's
  issuer text not null,
  identity text not null,
  account_id bigint not null references platform.account on delete cascade,
  created_at timestamptz not null default now(),
  last_sign_on_at timestamptz,
  constraint external_identity_key unique (provider, issuer, identity, account_id)
);
create index external_identity_account on platform.external_identity (account_id);

-- From the button to the way back; taken out of here once. The browser has the token alone.
create table platform.sign_on (
  token_hash bytea primary key,
  provider text not null,
  -- the account's service that was chosen
  service text not null,
  state text not null,
  nonce text not null,
  verifier text not null,
  return_address text not null,
  expires_at timestamptz not null
);
create index sign_on_expires on platform.sign_on (expires_at);
