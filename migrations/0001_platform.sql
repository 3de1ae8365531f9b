-- What every service stands on: accounts and their sessions, limits, audit, uploads, keys, and shared functions.

create schema platform;

create table platform.migration (
  name text primary key,
  hash text not null,
  applied_at timestamptz not null default now()
);

-- The administrators of every service, and the operators (service 'platform').
create table platform.account (
  id bigint generated always as identity primary key,
  service text not null,
  user_name text not null,
  name text not null default '',
  -- argon2id in PHC form; null: nobody can log in until one is set
  password_hash text,
  super boolean not null default false,
  enabled boolean not null default true,
  -- operators only: the services they run, null for all
  services text[],
  created_at timestamptz not null default now(),
  constraint account_user_name_key unique (service, user_name)
);

create table platform.session (
  id bigint generated always as identity primary key,
  account_id bigint not null references platform.account on delete cascade,
  token_hash bytea not null,
  address text not null,
  user_agent text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  constraint session_token_hash_key unique (token_hash)
);
create index session_account on platform.session (account_id);
create index session_expiry on platform.session (expires_at);

create table platform.ticket (
  ticket_hash bytea primary key,
  session_id bigint not null references platform.session on delete cascade,
  purpose text not null,
  expires_at timestamptz not null
);
create index ticket_session on platform.ticket (session_id);

create table platform.login_failure (
  id bigint generated always as identity primary key,
  account_key text not null,
  address text not null,
  failed_at timestamptz not null default now()
);
create index login_failure_account on platform.login_failure (account_key, failed_at);
create index login_failure_age on platform.login_failure (failed_at);

-- Unlogged: a crash may forget a minute's count, and counting must not wait for the disk.
create unlogged table platform.rate_count (
  scope text not null,
  address text not null,
  minute bigint not null,
  hits integer not null,
  primary key (scope, address)
) with (fillfactor = 50);

create table platform.audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  service text not null,
  account_id bigint,
  user_name text not null,
  action text not null,
  outcome text not null check (outcome in ('done', 'refused', 'failed')),
  records text[] not null default '{}',
  detail jsonb,
  address text not null
);
create index audit_time on platform.audit (at desc, id desc);

create table platform.idempotent_answer (
  key_hash bytea primary key,
  body_hash bytea not null,
  data text,
  created_at timestamptz not null default now()
);
create index idempotent_answer_age on platform.idempotent_answer (created_at);

create table platform.upload (
  name text primary key,
  service text not null,
  mime text not null,
  image boolean not null,
  bytes bigint not null,
  original_name text not null,
  claimed boolean not null default false,
  created_at timestamptz not null default now()
);
create index upload_unclaimed on platform.upload (created_at) where not claimed;

create table platform.upload_usage (
  only_row boolean primary key default true check (only_row),
  bytes bigint not null default 0
);
insert into platform.upload_usage default values;

create table platform.key_pair (
  name text primary key,
  private_key text not null,
  created_at timestamptz not null default now()
);

-- Access tokens of outside platforms, shared by all processes. While lease_id is set and leased_until lies ahead, one
-- process is renewing the token; forced_at and forced_count keep to the platform's limits on renewals by force.
create table platform.outside_token (
  name text primary key,
  value text,
  expires_at timestamptz,
  refreshed_at timestamptz,
  forced_at timestamptz,
  forced_count integer not null default 0,
  lease_id uuid,
  leased_until timestamptz,
  check (num_nulls(value, expires_at, refreshed_at) in (0, 3)),
  check ((lease_id is null) = (leased_until is null))
);

-- The one- and two-character pieces of a text, for an index under "stands anywhere in the text": Chinese names are
-- short, and a trigram index cannot help a search for one or two characters.
create function platform.grams(content text) returns text[]
language sql immutable strict parallel safe
return (
  select coalesce(array_agg(distinct piece), '{}')
  from (
    select one, one || lead(one) over (order by place) as two
    from unnest(string_to_array(lower(content), null)) with ordinality as letters (one, place)
  ) as pieces
  cross join lateral (values (one), (two)) as each (piece)
  where piece is not null
);

-- The pieces that a text must have to hold the needle: the character itself, or every pair.
create function platform.needle_grams(needle text) returns text[]
language sql immutable strict parallel safe
return case
  when char_length(needle) < 2 then array[lower(needle)]
  else (
    select array_agg(distinct substr(lower(needle), place, 2))
    from generate_series(1, char_length(lower(needle)) - 1) as places (place)
  )
end;
