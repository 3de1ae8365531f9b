-- beside: 0026
-- What the removal of what need not be kept any longer has done, by kind of record.

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
