create schema disease_command;

create table disease_command.broadcast_statistics (
  id bigint generated always as identity primary key,
  devices integer not null default 0,
  online_rate double precision not null default 0 check (online_rate between 0 and 1),
  broadcasts bigint not null default 0,
  duration_hours bigint not null default 0,
  periods text not null default '',
  only_row boolean not null default true unique check (only_row)
);
insert into disease_command.broadcast_statistics default values;

create table disease_command.broadcast_record (
  id bigint generated always as identity primary key,
  title text not null,
  address text not null,
  broadcast_type text not null,
  message_type text not null,
  content text not null,
  played_at timestamptz,
  extra_file text
);

create table disease_command.consumption_category (
  id bigint generated always as identity primary key,
  name text not null unique,
  -- in ten thousand yuan; a measured figure, not an amount that anybody pays
  value double precision not null default 0 check (value >= 0)
);
insert into disease_command.consumption_category (name)
values ('餐饮'), ('住宿'), ('交通'), ('购物'), ('娱乐'), ('旅游');

create table disease_command.detection (
  id bigint generated always as identity primary key,
  statistics_date date not null,
  people_type text not null,
  detections bigint not null,
  abnormal bigint not null,
  updated_at timestamptz not null default now(),
  constraint detection_date_people_key unique (statistics_date, people_type)
);

create table disease_command.emergency_team (
  id bigint generated always as identity primary key,
  name text not null unique,
  leader text,
  leader_phone text,
  duty text
);

create table disease_command.emergency_team_member (
  id bigint generated always as identity primary key,
  team_id bigint not null
    constraint emergency_team_member_team_fkey references disease_command.emergency_team on delete cascade,
  name text not null,
  phone text,
  post text
);
create index emergency_team_member_team on disease_command.emergency_team_member (team_id, id);

create table disease_command.event_plan (
  id bigint generated always as identity primary key,
  title text not null,
  starts_at timestamptz not null,
  published_at timestamptz not null default now(),
  content text not null
);
create index event_plan_start on disease_command.event_plan (starts_at, id);

create table disease_command.month_summary (
  id bigint generated always as identity primary key,
  month text not null unique,
  title text not null,
  content text not null,
  -- names of uploads, separated by commas
  images text,
  published_at timestamptz not null default now()
);

create table disease_command.fever_clinic (
  id bigint generated always as identity primary key,
  statistics_date date not null,
  hospital text not null,
  fever_patients bigint not null,
  epidemic_patients bigint not null,
  updated_at timestamptz not null default now(),
  constraint fever_clinic_date_hospital_key unique (statistics_date, hospital)
);

create table disease_command.scenic_spot (
  id bigint generated always as identity primary key,
  name text not null unique,
  description text not null,
  person_in_charge text not null,
  phone text not null,
  emergency_crew integer not null,
  emergency_material integer not null,
  image text not null,
  vr_url text
);

create table disease_command.capacity (
  id bigint generated always as identity primary key,
  scenic_spot_name text not null constraint capacity_scenic_spot_key unique,
  max_visitors integer not null
);

create table disease_command.theme (
  id bigint generated always as identity primary key,
  name text not null unique,
  enabled boolean not null
);
create unique index theme_enabled_key on disease_command.theme (enabled) where enabled;

create table disease_command.toilet (
  id bigint generated always as identity primary key,
  name text not null unique,
  address text not null,
  level text not null,
  area text not null,
  barrier_free_stalls integer not null,
  third_restrooms integer not null,
  men_stalls integer not null,
  women_stalls integer not null,
  common_stalls integer not null,
  item_number text,
  longitude_latitude text not null,
  open boolean not null default true,
  sort integer not null default 0,
  third_open_flag text,
  third_open_id text
);
create index toilet_map on disease_command.toilet (sort, id) include (name, longitude_latitude, third_open_flag) where open;

create table disease_command.city_map (
  only_row boolean primary key default true check (only_row),
  -- as it is served, byte by byte, and not jsonb: it may be megabytes, and nobody asks for parts of it
  geojson text not null,
  -- What its coordinates are measured against; MAP_DATUM may be set otherwise later.
  datum text not null check (datum in ('gcj02', 'wgs84')),
  names text[] not null,
  -- Another one with each map: by it a process knows whether it has read this one already.
  version uuid not null default gen_random_uuid()
);

-- Screens are told with the commit which part of the overview changed; PostgreSQL tells a transaction's same thing once.
create function disease_command.tell_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('disease_command', tg_argv[0]);
  return null;
end $$;
do $$
declare kept record;
begin
  for kept in select * from (values
      ('broadcast_statistics', 'broadcast', '{}'), ('broadcast_record', 'broadcast', '{}'),
      ('consumption_category', 'consumptionCategoryStatistics', '{}'), ('detection', 'detectionStatistics', '{}'),
      ('emergency_team', 'emergencyTeam', '{leader}'), ('emergency_team_member', 'emergencyTeam', '{name}'),
      ('event_plan', 'eventPlanning', '{}'), ('month_summary', 'eventPlanningMonthSummary', '{}'),
      ('fever_clinic', 'feverClinicOfHospitalStatistics', '{}'), ('scenic_spot', 'scenicSpotOverview', '{person_in_charge}'),
      ('capacity', null, '{}'), ('theme', 'theme', '{}'), ('toilet', 'toilet', '{}'), ('city_map', 'map', null)
    ) as tables (name, module, persons) loop
    if kept.module is not null then
      execute format(
        'create trigger tell_change after insert or update or delete or truncate on disease_command.%I
          for each statement execute function disease_command.tell_change(%L)', kept.name, kept.module);
    end if;
    if kept.persons is not null then
      perform platform.keep_changes('disease_command.' || kept.name, 'id', '{id, only_row, updated_at}', kept.persons::text[]);
    end if;
  end loop;
end $$;
