-- Which records name an upload: what none names any more goes, and its room is free again. And room by service.

-- Set when nothing holds the upload any more: it is not served from then on, and its file goes at that time, unless a
-- record has come to hold it again.
alter table platform.upload add remove_at timestamptz;
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
drop table platform.upload_usage;
create table platform.upload_usage (
  service text primary key,
  bytes bigint not null
);
insert into platform.upload_usage (service, bytes) select service, sum(bytes) from platform.upload group by service;

create function platform.count_uploads_in() returns trigger language plpgsql as $$
begin
  insert into platform.upload_usage as usage (service, bytes)
  select service, sum(bytes) from added group by service order by service
  on conflict (service) do update set bytes = usage.bytes + excluded.bytes;
  return null;
end $$;

create function platform.count_uploads_out() returns trigger language plpgsql as $$
begin
  insert into platform.upload_usage as usage (service, bytes)
  select service, -sum(bytes) from removed group by service order by service
  on conflict (service) do update set bytes = usage.bytes + excluded.bytes;
  return null;
end $$;

create trigger upload_in after insert on platform.upload
  referencing new table as added for each statement execute function platform.count_uploads_in();
create trigger upload_out after delete on platform.upload
  referencing old table as removed for each statement execute function platform.count_uploads_out();

-- What records name already. A report that was deleted holds nothing.
insert into platform.upload_hold (upload, service, record)
select distinct upload.name, 'reporting', 'report/' || report.id
from reporting.report
  cross join lateral unnest(coalesce(b_file, '{}') || coalesce(file, '')) as reference
  join platform.upload on upload.service = 'reporting'
    and upload.name = substring(reference from '/reporting/file/([0-9a-z]+\.[0-9a-z]+)(?:[?#].*)?$')
where not deleted;

insert into platform.upload_hold (upload, service, record)
select distinct upload.name, 'disease-command', named.record
from (
  select 'broadcast_record/' || id, extra_file from disease_command.broadcast_record
  union all
  select 'month_summary/' || id, images from disease_command.month_summary
  union all
  select 'scenic_spot/' || id, image from disease_command.scenic_spot
) as named (record, list)
  cross join lateral regexp_split_to_table(list, ',') as each (name)
  join platform.upload on upload.service = 'disease-command' and upload.name = btrim(each.name);

update platform.upload set claimed = exists (select from platform.upload_hold where upload_hold.upload = upload.name)
where claimed;
