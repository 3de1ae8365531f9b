-- beside: 0026
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

select platform.keep_changes('platform.account', 'id', '{id, name_key, created_at}');
select platform.keep_changes('platform.access_key', 'id', '{id, created_at}');
select platform.keep_changes('platform.alert_condition', 'condition', '{condition}');
select platform.keep_changes('platform.alert_mute', 'subject', '{muted_at, muted_by}');
-- The address of a robot lets somebody in.
select platform.keep_changes('platform.alert_channel', 'id',
  '{id, created_at, told_at, failures, failing_since, failure, retry_at}', '{}', '{address}');

select platform.keep_changes('reporting.report', 'id', '{id, search, open_id, created_at, updated_at}', '{name}');

select platform.keep_changes('attendance.settings', 'only_row', '{only_row}');
select platform.keep_changes('attendance.settled', 'work_number', '{}', '{name}');
select platform.keep_changes('attendance.version', 'month', '{id}');

select platform.keep_changes('push_relay.campus_app', 'id', '{id, created_at}');
select platform.keep_changes('push_relay.project', 'id',
  '{id, revision, created_at, last_success_at, last_error, failing_since}');

select platform.keep_changes('tuition_payment.payable', 'id', '{id, search, created_at, updated_at}', '{student_name}');
select platform.keep_changes('tuition_payment.pay_limit', 'id', '{id}');
select platform.keep_changes('tuition_payment.feedback', 'id', '{id, created_at}', '{name}');
select platform.keep_changes('tuition_payment.pay_order', 'order_no',
  '{id, search, pay_answer, redirect_url, claimed_gateway, claimed_until, asked, due_at, created_at}', '{student_name}');
select platform.keep_changes('tuition_payment.refund', 'refund_no', '{id, leased_until}');
select platform.keep_changes('tuition_payment.difference', 'id', '{id}');

select platform.keep_changes('disease_command.broadcast_statistics', 'id', '{id, only_row, updated_at}');
select platform.keep_changes('disease_command.broadcast_record', 'id', '{id, updated_at}');
select platform.keep_changes('disease_command.consumption_category', 'id', '{id, updated_at}');
select platform.keep_changes('disease_command.detection', 'id', '{id, updated_at}');
select platform.keep_changes('disease_command.emergency_team', 'id', '{id, updated_at}', '{leader}');
select platform.keep_changes('disease_command.emergency_team_member', 'id', '{id, updated_at}', '{name}');
select platform.keep_changes('disease_command.event_plan', 'id', '{id, updated_at}');
select platform.keep_changes('disease_command.month_summary', 'id', '{id, updated_at}');
select platform.keep_changes('disease_command.fever_clinic', 'id', '{id, updated_at}');
select platform.keep_changes('disease_command.scenic_spot', 'id', '{id, updated_at}', '{person_in_charge}');
select platform.keep_changes('disease_command.capacity', 'id', '{id, updated_at}');
select platform.keep_changes('disease_command.theme', 'id', '{id, updated_at}');
select platform.keep_changes('disease_command.toilet', 'id', '{id, updated_at}');
