-- beside: 0006

-- What of the setup list an operator has put aside, as this installation does not want it.
create table platform.setup_aside (
  item text primary key,
  at timestamptz not null default now()
);
select platform.keep_changes('platform.setup_aside', 'item', '{at}');
