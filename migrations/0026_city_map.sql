-- The city's own map, one: what pages draw, with the names by which scenic spots are found on it.
create table disease_command.city_map (
  only_row boolean primary key default true check (only_row),
  -- GeoJSON as it is served, byte by byte, and not jsonb: it may be megabytes, and nobody asks for parts of it.
  geojson text not null,
  -- What its coordinates are measured against; MAP_DATUM may be set otherwise later.
  datum text not null check (datum in ('gcj02', 'wgs84')),
  -- The names of its features, in their order.
  names text[] not null,
  -- Another one with each map: by it a process knows whether it has read this one already.
  version uuid not null default gen_random_uuid(),
  updated_at timestamptz not null default now()
);

create trigger tell_change after insert or update or delete or truncate on disease_command.city_map
  for each statement execute function disease_command.tell_change('map');
