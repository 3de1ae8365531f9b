create schema reporting;

create table reporting.report (
  id bigint generated always as identity primary key,
  name text not null,
  phone text not null,
  -- where the number is sealed, phone is empty, and no keyword meets what stands for it
  phone_sealed text,
  phone_found text,
  wx_phone text,
  company text not null,
  customer_name text not null,
  entry_name text not null,
  project_amount text not null,
  tender_time timestamptz not null,
  content text,
  parameters text,
  trade text not null,
  licensing text not null,
  product text,
  b_product text[] not null,
  b_file text[],
  file text,
  closed boolean not null default false,
  deleted boolean not null default false,
  verdict smallint not null default 0 check (verdict in (0, 1, 2)),
  ps text,
  -- the submitter at the messaging platform, once it is known
  open_id text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- what a keyword is looked for in; it cannot reach from one field into the next
  search text not null generated always as (lower(entry_name || E'\x01' || customer_name || E'\x01' || phone)) stored
);

create index report_newest on reporting.report (deleted, created_at, id);
create index report_newest_of_state on reporting.report (deleted, closed, created_at, id);
create index report_newest_of_verdict on reporting.report (deleted, verdict, created_at, id);
create index report_newest_of_trade on reporting.report (trade, deleted, created_at, id);
-- The columns by which people sort a list; by any other, the matching reports are read and sorted.
create index report_by_update on reporting.report (deleted, updated_at, id);
create index report_by_tender on reporting.report (deleted, tender_time, id);
create index report_by_name on reporting.report (deleted, name, id);
create index report_by_company on reporting.report (deleted, company, id);
-- Without a pending list: it would make a search after many submissions slower than one after few.
create index report_name_grams on reporting.report using gin (platform.grams(name)) with (fastupdate = off);
create index report_company_grams on reporting.report using gin (platform.grams(company)) with (fastupdate = off);
create index report_search_grams on reporting.report using gin (platform.grams(search)) with (fastupdate = off);
create index report_phone_found on reporting.report (phone_found) where phone_found is not null;
create index report_of_submitter on reporting.report (open_id, created_at, id) where open_id is not null;
select platform.keep_changes('reporting.report', 'id', '{id, search, open_id, created_at, updated_at}', '{name}');

-- Tallies have the days of the time zone on the wire: a filter by day, month or year is then whole days.
create table reporting.tally_zone (
  only_row boolean primary key default true check (only_row),
  zone text not null
);
insert into reporting.tally_zone (zone) values ('Asia/Shanghai');
select platform.keep_tallies('reporting.report', 'created_at', '(select zone from reporting.tally_zone)',
  '{day, month, all}', '{
    "reporting.report_tally": "step, start, deleted, closed, verdict",
    "reporting.trade_tally": "trade, step, start, deleted, closed, verdict"}');

-- By whom under which name, as it was then: accounts are renamed and deleted.
create table reporting.report_event (
  id bigint generated always as identity primary key,
  report_id bigint not null references reporting.report on delete cascade,
  at timestamptz not null default now(),
  what text not null check (what in ('judged', 'closed', 'deleted')),
  user_name text not null,
  name text not null,
  verdict smallint check (verdict in (1, 2)) check ((what = 'judged') = (verdict is not null)),
  ps text
);
create index report_event_report on reporting.report_event (report_id, id);

-- Receipts are made from ids under this key. A UUID of PostgreSQL has 122 bits of its strong random source.
create table reporting.receipt_key (
  only_row boolean primary key default true check (only_row),
  key bytea not null
);
insert into reporting.receipt_key (key)
select sha256(convert_to(string_agg(gen_random_uuid()::text, ' '), 'UTF8')) from generate_series(1, 3);

-- What a code of the messaging platform stood for: codes work once, and the page may ask before it submits.
create table reporting.known_open_id (
  code_hash bytea primary key,
  open_id text not null,
  expires_at timestamptz not null
);

create table reporting.verdict_message (
  id bigint generated always as identity primary key,
  report_id bigint not null references reporting.report on delete cascade,
  verdict smallint not null,
  ps text,
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'refused', 'superseded')),
  error_code integer,
  created_at timestamptz not null default now(),
  settled_at timestamptz
);
create index verdict_message_report on reporting.verdict_message (report_id);

-- Submitters who have signed in by the messaging platform; the open identifier never leaves the server.
create table reporting.submitter_session (
  token_hash bytea primary key,
  open_id text not null,
  expires_at timestamptz not null
);
create index submitter_session_expiry on reporting.submitter_session (expires_at);
