create schema platform;

-- The one- and two-character pieces of a text, for an index under "stands anywhere in the text": Chinese names are short,
-- and a trigram index cannot help a search for one or two characters.
create function platform.grams(content text) returns text[] language plpgsql immutable strict parallel safe as $$
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
create function platform.needle_grams(needle text) returns text[] language sql immutable strict parallel safe
return case
  when char_length(needle) < 2 then array[lower(needle)]
  else (select array_agg(distinct substr(lower(needle), place, 2))
    from generate_series(1, char_length(lower(needle)) - 1) as place)
end;

-- Exact totals of lists that grow without end. Whoever changes a table adds to a row of its own session, so that no two
-- writers ever meet, and a job each minute folds what was added into the tallies, which have a row for all time, for each
-- month, and for each finer span. Tally and additions together are exact at every moment, since one statement sees either
-- both sides of a fold or none. Spans are in the local time of `zone`, an expression; those of "all" begin at -infinity.
create table platform.tallied (
  source text primary key,
  -- SQL that counts the table anew into the additions, and that folds these
  recount text not null,
  fold text not null
);

-- Counts the rows of a table from now on. `steps` are units of date_trunc, the finest first, and "all"; `tallies` says each
-- tally's key, the columns by which it is always asked first: {"shop.trade_tally": "trade, step, start, closed"}.
create function platform.keep_tallies(source text, moment text, zone text, steps text[], tallies jsonb) returns void
language plpgsql as $make$
declare
  addition text := source || '_addition';
  columns text[] := array(
    select distinct name from jsonb_each_text(tallies) as tally (name_of, key), regexp_split_to_table(key, ', ') as name
    where name not in ('step', 'start') order by name);
  keys text := array_to_string(columns, ', ');
  span text := format('date_trunc(%L, %I at time zone %s)', steps[1], moment, zone);
  add text := format('insert into %s as known (start, %s, session, lines)', addition, keys);
  meet text := format('on conflict (start, %s, session) do update set lines = known.lines + excluded.lines', keys);
  groups text := (select string_agg(n::text, ', ') from generate_series(1, cardinality(columns) + 1) as n);
  recount text := 'delete from ' || addition;
  -- Those that a writer holds just now come with the next fold.
  fold text := format($sql$with taken as (
      delete from %1$s where ctid = any (array(select ctid from %1$s for update skip locked)) returning *
    ), stepped as (
      select step, case step when 'all' then '-infinity' else date_trunc(step, start) end as start, %2$s, lines
      from taken cross join unnest(%3$L::text[]) as step
    )$sql$, addition, keys, steps);
  tally record;
begin
  execute format('create table %1$s with (fillfactor = 50) as
    select localtimestamp as start, %2$s, 0 as session, 0::bigint as lines from %3$s with no data;
    alter table %1$s add primary key (start, %2$s, session), alter lines set not null', addition, keys, source);

  -- Rows are taken in the order of their keys. What an update leaves as it was is not written.
  execute format($sql$
    create function %1$s_tally() returns trigger language plpgsql as $body$
    begin
      if tg_op = 'UPDATE' then
        %2$s select %3$s, %4$s, pg_backend_pid(), sum(change)
        from (select %7$I, %4$s, 1 as change from after_change union all select %7$I, %4$s, -1 from before_change) as changes
        group by %5$s having sum(change) <> 0 order by %5$s %6$s;
      else
        %2$s select %3$s, %4$s, pg_backend_pid(), case tg_op when 'INSERT' then count(*) else -count(*) end
        from changed group by %5$s order by %5$s %6$s;
      end if;
      return null;
    end $body$;
    create trigger tally_insert after insert on %1$s referencing new table as changed
      for each statement execute function %1$s_tally();
    create trigger tally_update after update on %1$s referencing old table as before_change new table as after_change
      for each statement execute function %1$s_tally();
    create trigger tally_delete after delete on %1$s referencing old table as changed
      for each statement execute function %1$s_tally()
    $sql$, source, add, span, keys, groups, meet, moment);

  for tally in select * from jsonb_each_text(tallies) as each (name, key) loop
    execute format('create table %1$s with (fillfactor = 80) as
      select %2$s, lines from (select text %3$L as step, * from %4$s) as added with no data;
      alter table %1$s add primary key (%2$s), alter lines set not null', tally.name, tally.key, '', addition);
    recount := recount || '; delete from ' || tally.name;
    fold := fold || format($sql$, %1$I as (
      insert into %1$s as known (%2$s, lines)
      select %2$s, sum(lines) from stepped group by %2$s having sum(lines) <> 0 order by %2$s
      on conflict (%2$s) do update set lines = known.lines + excluded.lines)$sql$, tally.name, tally.key);
  end loop;

  insert into platform.tallied values (source, format('%s; %s select %s, %s, pg_backend_pid(), count(*) from %s group by %s',
    recount, add, span, keys, source, groups), fold || ' select from taken limit 0');
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

-- A value as the audit log may tell it: whoever reads that need not know who a person is, and must never learn a secret.
create function platform.to_noted(field text, value jsonb, persons text[], secrets text[]) returns jsonb
language sql immutable return case
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

-- Notes a row's old and new for an administrator's audit line, where the transaction has asked for it (`noteChanges` in
-- accounts/audit.ts), in a setting that ends with it. Of many rows the first twenty are told, and all are counted.
create function platform.note_change() returns trigger language plpgsql as $$
declare
  noted jsonb := current_setting('quintet.changes')::jsonb;
  before jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  after jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  rows integer := coalesce((noted ->> 'rows')::integer, 0) + 1;
  told jsonb := coalesce(noted -> 'of', '[]');
  persons text[] := tg_argv[2];
  secrets text[] := tg_argv[3];
  fields jsonb;
begin
  select jsonb_agg(jsonb_build_object('field', field, 'before', platform.to_noted(field, before -> field, persons, secrets),
      'after', platform.to_noted(field, after -> field, persons, secrets)) order by place)
    into fields
  from json_object_keys(case when tg_op = 'DELETE' then to_json(old) else to_json(new) end)
    with ordinality as each (field, place)
  where nullif(before -> field, 'null') is distinct from nullif(after -> field, 'null') and field <> all(tg_argv[1]::text[]);
  if rows <= 20 then
    told := told || jsonb_build_object('table', tg_table_schema || '.' || tg_table_name,
      'record', coalesce(after, before) ->> tg_argv[0], 'fields', fields);
  end if;
  if fields is not null then
    perform set_config('quintet.changes', jsonb_build_object('rows', rows, 'of', told)::text, true);
  end if;
  return null;
end $$;

-- Notes the changes of a table from now on. `key` is the column by which its records are known; `hidden` is never told, of
-- `persons` only the first character, of `secrets` nothing. Secrets, cards and phone numbers are known by their names too.
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
  -- newest migration of the oldest program that may run beside a database that has had this one; null: who knows it alone
  beside text
);

-- The administrators of every service, and the operators (service 'platform').
create table platform.account (
  id bigint generated always as identity primary key,
  service text not null,
  user_name text not null,
  -- what a name has in common with all that look like it; null: another account has it already
  name_key text,
  name text not null default '',
  -- argon2id in PHC form; null: nobody can log in until one is set
  password_hash text,
  -- the hash of the last password that somebody else has set: the owner has to change it while it is his password's too
  given_hash text,
  super boolean not null default false,
  enabled boolean not null default true,
  -- operators only: the services they run, null for all
  services text[],
  -- by service and group of operations, such as 'reporting.read'; null: all that the role has
  rights text[],
  -- made by signing on by the campus: it follows what the provider says of somebody, and is not changed by hand
  from_sign_on boolean not null default false,
  created_at timestamptz not null default now(),
  constraint account_user_name_key unique (service, user_name)
);
create unique index account_name_key on platform.account (service, name_key);
select platform.keep_changes('platform.account', 'id', '{id, name_key, created_at, given_hash}');

create table platform.session (
  id bigint generated always as identity primary key,
  account_id bigint not null references platform.account on delete cascade,
  token_hash bytea not null unique,
  address text not null,
  user_agent text not null,
  -- when it last showed a second factor; null: it was opened by a password alone
  factor_at timestamptz,
  -- opened with a given password by a client that can have another one chosen
  must_choose boolean not null default false,
  -- begun in the console, which has it end sooner when nobody uses it
  of_console boolean not null default false,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null
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
  account_key text not null,
  address text not null,
  failed_at timestamptz not null default now()
);
create index login_failure_account on platform.login_failure (account_key, failed_at);
create index login_failure_age on platform.login_failure (failed_at);

-- From where the account was opened before. Fifty failures of others do not lock an operator out there, and a new one is
-- told to the account's owner.
create table platform.account_address (
  account_id bigint not null references platform.account on delete cascade,
  address text not null,
  first_login_at timestamptz not null default now(),
  last_login_at timestamptz not null default now(),
  primary key (account_id, address)
);

create table platform.factor (
  id bigint generated always as identity primary key,
  account_id bigint not null references platform.account on delete cascade,
  kind text not null check (kind in ('totp', 'passkey')),
  name text not null,
  -- of one-time codes, in base32
  seed text,
  -- of a passkey: its key (COSE), its name for itself, how it is reached, and the host that it is of
  public_key bytea,
  credential_id text constraint factor_credential_key unique,
  transports text[],
  rp_id text,
  -- the last step of 30 seconds whose code was taken; what a passkey counted when it was last used
  counter bigint not null default 0,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  -- null: the first code has not come yet
  confirmed_at timestamptz,
  check (case kind when 'totp' then seed is not null else public_key is not null and credential_id is not null and rp_id is not null end)
);
create index factor_account on platform.factor (account_id);
-- One that holds, and beside it one that is being set up.
create unique index factor_totp on platform.factor (account_id, (confirmed_at is null)) where kind = 'totp';
select platform.keep_changes('platform.factor', 'id',
  '{id, public_key, credential_id, transports, counter, created_at, last_used_at}', '{}', '{seed}');

create table platform.recovery_code (
  account_id bigint not null references platform.account on delete cascade,
  code_hash bytea not null,
  used_at timestamptz,
  primary key (account_id, code_hash)
);

create table platform.factor_challenge (
  session_id bigint not null references platform.session on delete cascade,
  purpose text not null check (purpose in ('enrol', 'show')),
  challenge text not null,
  created_at timestamptz not null default now(),
  primary key (session_id, purpose)
);

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
  service text not null,
  state text not null,
  nonce text not null,
  verifier text not null,
  return_address text not null,
  expires_at timestamptz not null
);
create index sign_on_expires on platform.sign_on (expires_at);

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
  expires_at timestamptz not null check (expires_at <= created_at + interval '366 days'),
  revoked_at timestamptz,
  rotated_at timestamptz
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

create table platform.card_session (
  token_hash bytea primary key,
  -- under a data key by what it is found
  card_number text not null,
  expires_at timestamptz not null
);
create index card_session_age on platform.card_session (expires_at);

-- Unlogged: a crash may forget a minute's count, and counting must not wait for the disk. Under a data key `address` is a
-- keyed hash, as it may be a student's card.
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
  -- what the transaction has changed: {"rows": 2, "of": [{"table", "record", "fields": [{"field", "before", "after"}]}]}
  changes jsonb,
  address text not null
);
create index audit_time on platform.audit (at desc, id desc);
create index audit_records on platform.audit using gin (records);
create index audit_not_done on platform.audit (at desc, id desc) where outcome <> 'done';
-- The server's role may add lines and read them, and has no right to more (platform.grant_to_server). Where it owns the
-- table all the same, these triggers keep it from changing lines, and from removing any that is younger than 180 days.
create function platform.refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and tg_level = 'STATEMENT' and current_setting('quintet.remove_audit', true) = 'on' then
    return null;
  end if;
  raise exception 'lines of the audit log are never changed, nor removed before their time' using errcode = 'insufficient_privilege';
end $$;
create trigger audit_stays before update or delete or truncate on platform.audit
for each statement execute function platform.refuse_change();
create trigger audit_young_stays before delete on platform.audit
for each row when (old.at > now() - interval '180 days') execute function platform.refuse_change();
-- Also for whoever replays changes of another database.
alter table platform.audit enable always trigger audit_stays, enable always trigger audit_young_stays;

-- The one way in which lines go: the oldest of those before a moment, and older than 180 days in any case.
create function platform.remove_audit(before timestamptz, most integer) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare removed bigint;
begin
  perform set_config('quintet.remove_audit', 'on', true);
  delete from platform.audit where id in (
    select id from platform.audit where at < least(before, now() - interval '180 days') order by at, id limit most);
  get diagnostics removed = row_count;
  perform set_config('quintet.remove_audit', '', true);
  return removed;
end $$;
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
  -- set when nothing holds it any more: it is not served then, and goes at that time, unless a record holds it again
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
  private_key text not null
);

-- The names of the data keys that may have sealed something. The first raises `beside` of this migration to itself: older
-- programs cannot read what is sealed, so they retire.
create table platform.data_key (
  id text primary key,
  since timestamptz not null default now(),
  -- columns in which it has sealed everything
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
  seen_at timestamptz not null,
  -- null: it has not held for long enough yet, and nobody is told
  opened_at timestamptz,
  over_at timestamptz check (over_at is null or opened_at is not null),
  -- nobody is told that it is over
  silent boolean not null default false
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
  primary key (condition, subject)
);
select platform.keep_changes('platform.alert_mute', 'subject', '{muted_by}');

create table platform.alert_telling (
  alert_id bigint not null references platform.alert on delete cascade,
  channel text not null,
  open_at timestamptz not null default now(),
  -- null: not that it is over
  over_at timestamptz,
  primary key (alert_id, channel)
);

create table platform.retention (
  service text not null,
  kind text not null,
  -- removed and in no line of the audit log yet: a run that was cut off is told by the next
  untold bigint not null default 0,
  removed bigint not null default 0,
  ended_at timestamptz,
  primary key (service, kind)
);

-- Gives the role of the server what it needs of all that the role owns who runs migrations, and of the audit log no more
-- than adding and reading. It may not write migration and tallied, of which the owner runs statements.
create function platform.grant_to_server(server text) returns void language plpgsql set search_path = pg_catalog as $$
declare place name;
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
end $$;
