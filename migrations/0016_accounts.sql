-- Names that look alike are one name; addresses from which operators have logged in; an audit log that only grows.

-- What a name has in common with all that look like it, worked out by the server; null: another account had it already
-- when names began to be compared so, and this one is known by its very spelling alone.
alter table platform.account add column name_key text;
create unique index account_name_key on platform.account (service, name_key);

-- From where an operator's password was right before. Fifty failures of others do not lock the operator out there.
create table platform.operator_address (
  account_id bigint not null references platform.account on delete cascade,
  address text not null,
  last_login_at timestamptz not null default now(),
  primary key (account_id, address)
);

-- Failures are counted by a name's key from now on, whichever service was asked.
delete from platform.login_failure;

create function platform.refuse_change() returns trigger
language plpgsql as $$
begin
  raise exception 'lines of the audit log are never changed or removed' using errcode = 'insufficient_privilege';
end
$$;

create trigger audit_stays before update or delete or truncate on platform.audit
for each statement execute function platform.refuse_change();
-- Also for whoever replays changes of another database.
alter table platform.audit enable always trigger audit_stays;
