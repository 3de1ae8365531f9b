-- beside: 0026
-- Nightly backups of the embedded cluster as they went. What was made, and how, stands in the manifest of each.
create table platform.backup (
  id bigint generated always as identity primary key,
  -- the folder or bucket; it holds no secret
  place text not null,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  -- set with ended_at where it was whole: its name in the place
  name text,
  bytes bigint,
  -- set with ended_at where it failed: what the failure is called
  failure text
);
create index backup_whole on platform.backup (started_at) where name is not null;
