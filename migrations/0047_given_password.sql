-- beside: 0026
-- Passwords that somebody else has set, which the account's owner has to change.

-- The hash of the last one; the account has it still where it is the hash of its password too, so that a program of
-- before, which knows nothing of it, makes nothing untrue by a change. null: none, or nobody knows.
alter table platform.account add column given_hash text;

-- Opened with such a password by a client that can have another one chosen.
alter table platform.session add column must_choose boolean not null default false;

-- Whether a password was given is not told of it: who has changed it stands in the same line of the audit log.
create or replace trigger note_change after insert or update or delete on platform.account for each row
  when (current_setting('quintet.changes', true) <> '')
  execute function platform.note_change('id', '{id, name_key, created_at, given_hash}', '{}', '{}');
