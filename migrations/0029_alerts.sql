-- beside: 0026
-- Alerts: what somebody should look after, whom it was told, and who does not want to hear of it.

-- What an operator has set of a condition; without a row it is as the program has it.
create table platform.alert_condition (
  condition text primary key,
  enabled boolean not null default true,
  threshold integer
);

create table platform.alert (
  id bigint generated always as identity primary key,
  -- the service and the condition, such as "library.shelf-empty"
  condition text not null,
  -- what of it, such as a project's id; "" where there is but one
  subject text not null,
  says_zh text not null,
  says_en text not null,
  figures jsonb not null,
  since timestamptz not null,
  -- when it was last found to hold
  seen_at timestamptz not null,
  -- null: it has not held for long enough yet, and nobody is told
  opened_at timestamptz,
  over_at timestamptz,
  check (over_at is null or opened_at is not null)
);
create unique index alert_present on platform.alert (condition, subject) where over_at is null;
create index alert_opened on platform.alert (opened_at, id) where opened_at is not null;
create index alert_over on platform.alert (over_at) where over_at is not null;

-- A mute outlives the alert, so that what comes and goes stays silent too.
create table platform.alert_mute (
  condition text not null,
  subject text not null,
  -- null: until the alert is over
  until timestamptz,
  reason text not null,
  muted_by text not null,
  muted_at timestamptz not null default now(),
  primary key (condition, subject)
);

create table platform.alert_channel (
  id bigint generated always as identity primary key,
  name text not null,
  kind text not null check (kind in ('webhook', 'mail', 'wecom', 'dingtalk')),
  -- of a robot it lets somebody in
  address text not null,
  secret text not null default '',
  -- null: all, those too that a later version adds
  conditions text[],
  language text not null check (language in ('zh', 'en')),
  enabled boolean not null default true,
  created_at timestamptz not null default now(),
  told_at timestamptz,
  failures integer not null default 0,
  failing_since timestamptz,
  failure text,
  retry_at timestamptz,
  constraint alert_channel_name_key unique (name)
);

-- What a channel is told of an alert, once it is not muted. No row: nothing, for the channel does not ask for it.
create table platform.alert_telling (
  channel_id bigint not null references platform.alert_channel on delete cascade,
  alert_id bigint not null references platform.alert on delete cascade,
  told_open_at timestamptz,
  told_over_at timestamptz,
  -- nothing is left to tell
  done boolean not null default false,
  primary key (channel_id, alert_id)
);
create index alert_telling_of_alert on platform.alert_telling (alert_id);
create index alert_telling_left on platform.alert_telling (channel_id) where not done;
