-- beside: 0006

-- What persons are told, and what became of it: the queue is the log. Of what is settled nothing is kept but the address as it is shown,
-- where most of it is hidden.
create table platform.notice (
  id bigint generated always as identity primary key,
  -- the service and the kind, such as "library.loan-due"
  kind text not null,
  -- by what it is told once
  key_hash text not null,
  person_hash text,
  -- sealed where there is a data key: {to, fields}
  content text check ((content is null) = (state not in ('waiting', 'sending'))),
  channel text not null,
  whom text not null,
  state text not null default 'waiting'
    check (state in ('waiting', 'sending', 'sent', 'refused', 'unreachable', 'unknown', 'expired')),
  -- how often a channel has said that it is too early for this one
  attempts int not null default 0,
  error text,
  created_at timestamptz not null default now(),
  due_at timestamptz not null,
  -- of what is being sent since when, of what is settled when
  state_at timestamptz not null default now(),
  constraint notice_key unique (kind, key_hash)
);
create index notice_due on platform.notice (channel, due_at, id) where state = 'waiting';
create index notice_gathered on platform.notice (kind, person_hash) where state = 'waiting';
create index notice_sending on platform.notice (state_at) where state = 'sending';

-- A kind that is not here is off.
create table platform.notice_kind (
  kind text primary key,
  -- for which hour it was last looked for, or when
  sought text not null default '',
  sought_at timestamptz not null default now()
);
select platform.keep_changes('platform.notice_kind', 'kind', '{sought, sought_at}');

-- Which channel is tried first.
create table platform.notice_order (
  only_row boolean primary key default true check (only_row),
  channels text[] not null
);
select platform.keep_changes('platform.notice_order', 'only_row', '{only_row}');

-- A channel that cannot be reached waits as a whole.
create table platform.notice_pause (
  channel text primary key,
  failures int not null,
  until timestamptz not null
);

create table platform.notice_contact (
  account_id bigint primary key references platform.account on delete cascade,
  -- sealed where there is a data key: {mail, userId, phone}
  addresses text not null,
  told boolean not null
);

-- Who has asked a service not to be told.
create table platform.notice_refusal (
  service text not null,
  person_hash text not null,
  primary key (service, person_hash)
);
