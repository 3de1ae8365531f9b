-- What every service stands on: accounts and their sessions, limits, audit, uploads, keys, and shared functions.

create schema platform;

-- The one- and two-character pieces of a text, for an index under "stands anywhere in the text": Chinese names are
-- short, and a trigram index cannot help a search for one or two characters.
-- A piece that stands twice is listed twice, which is one to an index.
create function platform.grams(content text) returns text[]
language plpgsql immutable strict parallel safe as $$
declare
  letters text[] := string_to_array(lower(content), null);
  pieces text[] := letters;
begin
  for place in 2 .. cardinality(letters) loop
    pieces := pieces || (letters[place - 1] || letters[place]);
  end loop;
  return pieces;
end $$;

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

-- Exact totals of lists that grow without end, out of a few rows: the one way of all tallies.
--
-- Whoever changes a table adds to a row of its own session, so that no two writers ever meet, and a job each minute
-- folds what was added into the tallies, which have a row for all time, for each month, and for each finer span. Tally
-- and additions together are exact at every moment, since one statement sees either both sides of a fold or none.
-- Spans are in the local time of `zone`, an expression; those of "all" begin at -infinity.

create table platform.tallied (
  source text primary key,
  addition text not null,
  -- SQL that counts the table anew into the additions, and that folds these
  recount text not null,
  fold text not null
);

-- Counts the rows of a table from now on. `steps` are units of date_trunc, the finest first, and "all"; `tallies` names
-- each tally with the columns by which it is always asked, which stand first in its key, and those that split it:
-- {"trade_tally": {"of": ["trade"], "split": ["closed"]}}.
create function platform.keep_tallies(source text, moment text, zone text, steps text[], tallies jsonb) returns void
language plpgsql as $make$
declare
  place text := split_part(source, '.', 1);
  addition text := source || '_addition';
  columns text[] := array(
    select distinct listed.name
    from jsonb_each(tallies) as tally, jsonb_array_elements_text((tally.value -> 'of') || (tally.value -> 'split')) as listed (name)
    order by 1);
  keys text := array_to_string(columns, ', ');
  typed text := (
    select string_agg(format('%I %s not null', attname, format_type(atttypid, atttypmod)), ', ' order by attname)
    from pg_attribute where attrelid = source::regclass and attname = any(columns));
  span text := format('date_trunc(%L, %I at time zone %s)', steps[1], moment, zone);
  add text := format('insert into %s as known (start, %s, session, lines)', addition, keys);
  meet text := format('on conflict (start, %s, session) do update set lines = known.lines + excluded.lines', keys);
  groups text := (select string_agg(n::text, ', ') from generate_series(1, cardinality(columns) + 1) as n);
  folds text := '';
  tally record;
begin
  execute format('create table %s (start timestamp not null, %s, session integer not null, lines bigint not null,
    primary key (start, %s, session)) with (fillfactor = 50)', addition, typed, keys);

  -- Rows are taken in the order of their keys. What an update leaves as it was is not written.
  execute format($sql$
    create function %1$s_tally() returns trigger language plpgsql as $body$
    begin
      if tg_op = 'INSERT' then
        %2$s select %3$s, %4$s, pg_backend_pid(), count(*) from after_change group by %5$s order by %5$s %6$s;
      elsif tg_op = 'DELETE' then
        %2$s select %3$s, %4$s, pg_backend_pid(), -count(*) from before_change group by %5$s order by %5$s %6$s;
      else
        %2$s select %3$s, %4$s, pg_backend_pid(), sum(change)
        from (select %7$I, %4$s, 1 as change from after_change union all select %7$I, %4$s, -1 from before_change) as changes
        group by %5$s having sum(change) <> 0 order by %5$s %6$s;
      end if;
      return null;
    end $body$;
    create trigger tally_insert after insert on %1$s referencing new table as after_change
      for each statement execute function %1$s_tally();
    create trigger tally_update after update on %1$s referencing old table as before_change new table as after_change
      for each statement execute function %1$s_tally();
    create trigger tally_delete after delete on %1$s referencing old table as before_change
      for each statement execute function %1$s_tally()
    $sql$, source, add, span, keys, groups, meet, moment);

  for tally in
    select place || '.' || key as name, value,
      array(select jsonb_array_elements_text(value -> 'of')) as owners,
      array(select jsonb_array_elements_text(value -> 'split')) as splits
    from jsonb_each(tallies)
  loop
    execute format('create table %s (step text not null, start timestamp not null, %s, lines bigint not null, primary key (%s)) with (fillfactor = 80)',
      tally.name,
      (select string_agg(format('%I %s not null', attname, format_type(atttypid, atttypmod)), ', ' order by attname)
        from pg_attribute where attrelid = source::regclass and attname = any(tally.owners || tally.splits)),
      array_to_string(tally.owners || '{step, start}' || tally.splits, ', '));
    folds := folds || format($sql$, into_%1$s as (
      insert into %2$s as known (step, start, %3$s, lines)
      select step, case step when 'all' then '-infinity' else date_trunc(step, start) end, %3$s, sum(lines)
      from taken cross join unnest(%4$L::text[]) as step group by %5$s having sum(lines) <> 0 order by %5$s
      on conflict (step, start, %3$s) do update set lines = known.lines + excluded.lines)$sql$,
      replace(tally.name, '.', '_'), tally.name, array_to_string(tally.owners || tally.splits, ', '), steps,
      (select string_agg(n::text, ', ') from generate_series(1, cardinality(tally.owners || tally.splits) + 2) as n));
  end loop;

  insert into platform.tallied values (source, addition,
    format('delete from %s', addition) || (
      select string_agg(format('; delete from %s.%I', place, key), '') from jsonb_object_keys(tallies) as key) ||
    format('; %s select %s, %s, pg_backend_pid(), count(*) from %s group by %s', add, span, keys, source, groups),
    -- Those that a writer holds just now come with the next fold.
    format($sql$with chosen as (select start, %2$s, session from %1$s for update skip locked),
      taken as (delete from %1$s as added using chosen
        where (added.start, %3$s, added.session) = (chosen.start, %4$s, chosen.session) returning added.start, %3$s, added.lines)%5$s
      select from taken limit 0$sql$,
      addition, keys, (select string_agg('added.' || key, ', ') from unnest(columns) as key),
      (select string_agg('chosen.' || key, ', ') from unnest(columns) as key), folds));
  perform platform.recount_tallies(source);
end $make$;

-- Moves what was added since the last time into the tallies; one does it at a time, others leave it to that.
create function platform.fold_tallies(of_source text) returns void language plpgsql as $$
begin
  if pg_try_advisory_xact_lock(hashtextextended('tally ' || of_source, 0)) then
    execute (select fold from platform.tallied where source = of_source);
  end if;
end $$;

-- Counts a table anew while nobody writes to it: at first, and when the zone of its spans has changed.
create function platform.recount_tallies(of_source text) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('tally ' || of_source, 0));
  execute format('lock table %s in share row exclusive mode', of_source);
  execute (select recount from platform.tallied where source = of_source);
  execute (select fold from platform.tallied where source = of_source);
end $$;

-- What an administrator's write has changed, for its audit line.
--
-- The rows' own old and new are noted by a trigger, so that no statement can forget to, and it works on PostgreSQL 14,
-- which cannot return what a row was. The transaction has to ask for it (`noteChanges` in accounts/audit.ts): what guests
-- and jobs write costs one comparison a row. Notes are a setting of the transaction, which ends with it; of many rows
-- only the first twenty are told, and all are counted.

-- A value as it may be told. Whoever reads the log need not know who a person is, and must never learn a secret.
create function platform.to_noted(field text, value jsonb, persons text[], secrets text[]) returns jsonb
language sql immutable
return case
  when value is null or value = 'null' then null
  when jsonb_typeof(value) = 'boolean' then value
  when field = any(secrets) or field ~ '(secret|password|hash|token|private|totp|recovery|sealed)' then '"***"'
  when field ~ 'card' then to_jsonb(
    '***' || case when value #>> '{}' ~ '^[0-9A-Za-z]{6,30}$' then right(value #>> '{}', 4) else '' end)
  when field ~ '(phone|mobile)' then to_jsonb(case
    when value #>> '{}' ~ '^[+0-9][0-9 -]{9,19}$' then left(value #>> '{}', 3) || '****' || right(value #>> '{}', 4)
    else '***' end)
  when field = any(persons) then to_jsonb(left(value #>> '{}', 1) || '**')
  when char_length(value #>> '{}') > 300 then to_jsonb(left(value #>> '{}', 300) || '…')
  else value
end;

create function platform.note_change() returns trigger language plpgsql as $$
declare
  noted jsonb := current_setting('quintet.changes')::jsonb;
  before jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  after jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  rows integer := coalesce((noted ->> 'rows')::integer, 0) + 1;
  told jsonb := coalesce(noted -> 'of', '[]');
  hidden text[] := tg_argv[1];
  persons text[] := tg_argv[2];
  secrets text[] := tg_argv[3];
  fields jsonb;
begin
  select jsonb_agg(jsonb_build_object('field', field, 'before', platform.to_noted(field, before -> field, persons, secrets),
      'after', platform.to_noted(field, after -> field, persons, secrets)) order by place)
    into fields
  from json_object_keys(case when tg_op = 'DELETE' then to_json(old) else to_json(new) end)
    with ordinality as each (field, place)
  where nullif(before -> field, 'null') is distinct from nullif(after -> field, 'null') and field <> all(hidden);
  if fields is null then
    return null;
  end if;
  if rows <= 20 then
    told := told || jsonb_build_object('table', tg_table_schema || '.' || tg_table_name,
      'record', coalesce(after, before) ->> tg_argv[0], 'fields', fields);
  end if;
  perform set_config('quintet.changes', jsonb_build_object('rows', rows, 'of', told)::text, true);
  return null;
end $$;

-- Notes the changes of a table from now on. `key` is the column by which its records are known; `hidden` is never told
-- of, of `persons` only the first character, of `secrets` only that they are others. Secrets, passwords, cards and phone
-- numbers are known by the column's name too.
create function platform.keep_changes(
  of_table text, key text, hidden text[] default '{}', persons text[] default '{}', secrets text[] default '{}'
) returns void language plpgsql as $$
begin
  execute format('create trigger note_change after insert or update or delete on %s for each row
    when (current_setting(''quintet.changes'', true) <> '''') execute function platform.note_change(%L, %L, %L, %L)',
    of_table, key, hidden, persons, secrets);
end $$;

create table platform.migration (
  name text primary key,
  hash text not null,
  -- the number of the newest migration of the oldest program that may run beside a database that has had this one; null:
  -- only a program that knows it may
  beside text,
  applied_at timestamptz not null default now()
);

-- The administrators of every service, and the operators (service 'platform').
create table platform.account (
  id bigint generated always as identity primary key,
  service text not null,
  user_name text not null,
  -- what a name has in common with all that look like it, worked out by the server; null: another account has it already
  -- and this one is known by its very spelling alone
  name_key text,
  name text not null default '',
  -- argon2id in PHC form; null: nobody can log in until one is set
  password_hash text,
  -- the hash of the last password that somebody else has set, which the owner has to change while it is his password's
  -- too; null: none
  given_hash text,
  super boolean not null default false,
  enabled boolean not null default true,
  -- operators only: the services they run, null for all
  services text[],
  -- by service and group of operations, such as 'reporting.read'; null: all that the role has
  rights text[],
  -- made by signing on by the campus, out of what the provider says of somebody: it follows that, and is not changed by hand
  from_sign_on boolean not null default false,
  created_at timestamptz not null default now(),
  constraint account_user_name_key unique (service, user_name)
);
create unique index account_name_key on platform.account (service, name_key);
select platform.keep_changes('platform.account', 'id', '{id, name_key, created_at, given_hash}');

create table platform.session (
  id bigint generated always as identity primary key,
  account_id bigint not null references platform.account on delete cascade,
  token_hash bytea not null,
  address text not null,
  user_agent text not null,
  -- when it last showed a second factor; null: it was opened by a password alone
  factor_at timestamptz,
  -- opened with a given password by a client that can have another one chosen
  must_choose boolean not null default false,
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

-- From where an operator's password was right before. Fifty failures of others do not lock the operator out there.
create table platform.operator_address (
  account_id bigint not null references platform.account on delete cascade,
  address text not null,
  last_login_at timestamptz not null default now(),
  primary key (account_id, address)
);

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

-- Recovery codes stay out: hashes in place of hashes, ten at a time, tell nobody anything.
select platform.keep_changes('platform.factor', 'id',
  '{id, public_key, credential_id, transports, counter, created_at, last_used_at}', '{}', '{seed}');

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

-- Whose identity at the campus opens which account.
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
select platform.keep_changes('platform.external_identity', 'id', '{id, created_at, last_sign_on_at}');

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

-- Keys of service accounts, which are accounts of the service 'service-account' without a password.
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
select platform.keep_changes('platform.access_key', 'id', '{id, created_at}');

-- Apart from the key, whose row a write holds while it runs.
create table platform.access_key_use (
  key_id bigint not null references platform.access_key on delete cascade,
  day date not null,
  uses bigint not null,
  last_at timestamptz not null,
  primary key (key_id, day)
);

-- A student whom the campus platform has signed in; of the token only its SHA-256 is kept.
create table platform.card_session (
  token_hash bytea primary key,
  card_number text not null,
  expires_at timestamptz not null
);
create index card_session_age on platform.card_session (expires_at);

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
  -- what the line's transaction has changed: {"rows": 2, "of": [{"table", "record", "fields": [{"field", "before", "after"}]}]}
  changes jsonb,
  address text not null
);
create index audit_time on platform.audit (at desc, id desc);
-- What was done to a record.
create index audit_records on platform.audit using gin (records);
-- Refusals and failures are few beside what was done.
create index audit_not_done on platform.audit (at desc, id desc) where outcome <> 'done';
-- A search sums months, and hours only of the months that its page lies in.
select platform.keep_tallies('platform.audit', 'at', '''UTC''', '{hour, month}', '{
  "audit_tally": {"of": [], "split": ["service"]},
  "audit_tally_detail": {"of": [], "split": ["service", "user_name", "action"]}}');

-- The server's role may add lines and read them, and has no right to more (platform.grant_to_server). Where it owns the
-- table all the same, these triggers stand in its way: no statement changes lines, and none removes one younger than 180 days.
create function platform.refuse_change() returns trigger
language plpgsql as $$
begin
  if tg_op = 'DELETE' and tg_level = 'STATEMENT' and current_setting('quintet.remove_audit', true) = 'on' then
    return null;
  end if;
  raise exception 'lines of the audit log are never changed, nor removed before their time' using errcode = 'insufficient_privilege';
end
$$;

create trigger audit_stays before update or delete or truncate on platform.audit
for each statement execute function platform.refuse_change();
create trigger audit_young_stays before delete on platform.audit
for each row when (old.at > now() - interval '180 days') execute function platform.refuse_change();
-- Also for whoever replays changes of another database.
alter table platform.audit enable always trigger audit_stays;
alter table platform.audit enable always trigger audit_young_stays;

-- The one way in which lines go: the oldest of those before a moment, and older than 180 days in any case.
create function platform.remove_audit(before timestamptz, most integer) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  removed bigint;
begin
  perform set_config('quintet.remove_audit', 'on', true);
  delete from platform.audit where id in (
    select id from platform.audit where at < least(before, now() - interval '180 days') order by at, id limit most);
  get diagnostics removed = row_count;
  perform set_config('quintet.remove_audit', '', true);
  return removed;
end
$$;
revoke all on function platform.remove_audit from public;

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
  -- set when nothing holds it any more: it is not served from then on, and its file goes at that time, unless a record has
  -- come to hold it again
  remove_at timestamptz,
  created_at timestamptz not null default now()
);
create index upload_unclaimed on platform.upload (created_at) where not claimed;
create index upload_removed on platform.upload (remove_at) where remove_at is not null;

create table platform.upload_hold (
  upload text not null references platform.upload on delete cascade,
  -- such as report/123
  record text not null,
  service text not null,
  primary key (upload, service, record)
);
create index upload_hold_record on platform.upload_hold (service, record);

-- The room that uploads take, until their rows go.
create table platform.upload_usage (
  service text primary key,
  bytes bigint not null
);

create function platform.count_uploads() returns trigger language plpgsql as $$
begin
  insert into platform.upload_usage as usage (service, bytes)
  select service, case tg_op when 'INSERT' then sum(bytes) else -sum(bytes) end
  from changed group by service order by service
  on conflict (service) do update set bytes = usage.bytes + excluded.bytes;
  return null;
end $$;
create trigger upload_in after insert on platform.upload
  referencing new table as changed for each statement execute function platform.count_uploads();
create trigger upload_out after delete on platform.upload
  referencing old table as changed for each statement execute function platform.count_uploads();

create table platform.key_pair (
  name text primary key,
  private_key text not null,
  created_at timestamptz not null default now()
);

-- The data keys that may have sealed something. Of a key there is its name alone, which follows from it. The first raises
-- `beside` of this migration to itself: older programs cannot read what is sealed, so they retire.
create table platform.data_key (
  id text primary key,
  since timestamptz not null default now(),
  -- the columns in which it has sealed everything, as quintet seal has found
  complete text[] not null default '{}'
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
  -- nobody is told that it is over
  silent boolean not null default false,
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
select platform.keep_changes('platform.alert_mute', 'subject', '{muted_at, muted_by}');

-- What a channel was told of an alert.
create table platform.alert_telling (
  alert_id bigint not null references platform.alert on delete cascade,
  channel text not null,
  open_at timestamptz not null default now(),
  -- null: not that it is over
  over_at timestamptz,
  primary key (alert_id, channel)
);

-- What has been removed as too old, by kind of record.
create table platform.retention (
  service text not null,
  kind text not null,
  -- removed, batch by batch, and in no line of the audit log yet: a run that was cut off is told by the next
  untold bigint not null default 0,
  -- what the last whole run has told
  removed bigint not null default 0,
  ended_at timestamptz,
  primary key (service, kind)
);

-- Gives the role of the server what it needs of all that the role owns who runs migrations, and of the audit log no more
-- than adding and reading. It may not write what the owner runs by (migration, tallied): it would write the owner's statements.
create function platform.grant_to_server(server text) returns void language plpgsql set search_path = pg_catalog as $$
declare
  place name;
begin
  for place in select nspname from pg_namespace where nspowner = current_user::regrole loop
    execute format('grant usage on schema %I to %I', place, server);
    execute format('grant select, insert, update, delete on all tables in schema %I to %I', place, server);
    execute format('grant usage, select on all sequences in schema %I to %I', place, server);
  end loop;
  execute format('revoke insert, update, delete on platform.audit, platform.migration, platform.tallied from %I', server);
  execute format('grant insert (service, account_id, user_name, action, outcome, records, detail, changes, address)
    on platform.audit to %I', server);
  execute format('grant execute on function platform.remove_audit to %I', server);
end
$$;
