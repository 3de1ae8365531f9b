-- beside: 0006

-- Whose installation it is: every page, workbook and message carries it. '' is not set.
create table platform.institution (
  only_row boolean primary key default true check (only_row),
  name text not null default '',
  name_en text not null default '',
  color text not null default '',
  -- names of uploads of the platform
  logo text not null default '',
  seal text not null default ''
);
insert into platform.institution default values;
select platform.keep_changes('platform.institution', 'only_row', '{only_row}');
