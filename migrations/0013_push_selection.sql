-- beside: 0006

-- What a project is given: {events, fields, when, form, decrypted, perSecond}, as its contract has them; null: everything.
-- What it gets of an event may then be another text than the event's: a part. It is an event of its own with the same public
-- id, and names the whole (0: none was stored); projects that get the same share it. Its body begins with the name of its form, unless that is json.
alter table push_relay.project add column selection jsonb;
alter table push_relay.event add column whole_id bigint;

-- The subjects of which a project with conditions has been told: one that meets them no more is told of once again.
create table push_relay.told (
  project_id bigint not null,
  subject_id bigint not null,
  primary key (project_id, subject_id)
);

-- From when on a project that takes so many a second may have the next push begun, whichever process does it.
create table push_relay.pace (
  project_id bigint primary key,
  next_at timestamptz not null
);

create function push_relay.compose_part(p_body text, p_form text, p_leaves boolean) returns text language sql immutable
return p_form || case when p_leaves then left(p_body, -1) || ',"left":true}' else p_body end;

-- Writes what events say of their subjects. Null in the place of an event that is not to be stored: its application is
-- another by now, or it repeats the latest of its subject.
create function push_relay.note_subjects(
  p_current boolean[], p_school_codes text[], p_kinds text[], p_identities text[], p_hashes bytea[], p_data text[],
  p_names text[], p_updated_at timestamptz[], p_removes boolean[]
) returns bigint[] language plpgsql as $$
declare
  v_subjects bigint[];
begin
  with given as (
    select *, not removes and kind <> 'range' as keeps
    from unnest(p_current, p_school_codes, p_kinds, p_identities, p_hashes, p_data, p_names, p_updated_at, p_removes)
      with ordinality as each (current, school_code, kind, identity, hash, data, name, updated_at, removes, place)
  ), kept as (
    insert into push_relay.subject as old
      (school_code, kind, identity, last_hash, last_event_at, present, name, data, source_updated_at)
    select school_code, kind, identity, hash, now(), keeps, case when keeps then name end, case when keeps then data end,
      updated_at
    from given where current order by school_code, kind, identity
    on conflict on constraint subject_key do update set
      last_hash = excluded.last_hash,
      last_event_at = excluded.last_event_at,
      present = case when excluded.source_updated_at < old.source_updated_at then old.present else excluded.present end,
      name = case when excluded.source_updated_at < old.source_updated_at then old.name else excluded.name end,
      data = case when excluded.source_updated_at < old.source_updated_at then old.data else excluded.data end,
      source_updated_at = case when excluded.source_updated_at < old.source_updated_at
        then old.source_updated_at else excluded.source_updated_at end,
      changed_at = case when excluded.source_updated_at < old.source_updated_at
        then old.changed_at else excluded.changed_at end
    where old.last_hash <> excluded.last_hash or old.last_event_at < now() - interval '24 hours'
    returning id, school_code, kind, identity
  )
  select array_agg(kept.id order by place) into v_subjects
  from given left join kept using (school_code, kind, identity);
  return v_subjects;
end $$;

-- As push_relay.accept, and a part of an event for each project that has a selection. Parts say of which event (its place)
-- and in what form; p_to_* say to whom each goes: fits is null for a project without conditions, false for one that is told
-- only if it was told of the subject before, and then that it leaves. p_selected names the projects that were judged, with
-- their revisions: where they are others by now, it is QR001, and nothing is stored.
create function push_relay.take(
  p_applications bigint[], p_versions text[], p_school_codes text[], p_events text[], p_kinds text[],
  p_identities text[], p_hashes bytea[], p_data text[], p_names text[], p_updated_at timestamptz[], p_removes boolean[],
  p_zone text, p_selected text, p_part_places integer[], p_part_forms text[], p_part_leaves boolean[], p_part_data text[],
  p_to_parts integer[], p_to_projects bigint[], p_to_fits boolean[]
) returns bigint[] language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_current boolean[] := array(
    select exists (select from push_relay.campus_app where id = given.application and xmin::text = given.version)
    from unnest(p_applications, p_versions) with ordinality as given (application, version, place)
    order by place);
  v_subjects bigint[];
  v_events bigint[];
  v_part_ids bigint[] := array(select nextval(pg_get_serial_sequence('push_relay.event', 'id')) from unnest(p_part_places));
  v_left bigint[] := '{}';
  v_reached bigint[] := '{}';
  v_is_fresh boolean;
begin
  v_subjects := push_relay.note_subjects(
    v_current, p_school_codes, p_kinds, p_identities, p_hashes, p_data, p_names, p_updated_at, p_removes);

  if cardinality(p_to_parts) > 0 then
    with ending as (
      delete from push_relay.told
      using unnest(p_to_parts, p_to_projects, p_to_fits) with ordinality as given (part, project_id, fits, place)
      where (not fits or fits and p_removes[p_part_places[part]]) and told.project_id = given.project_id
        and told.subject_id = v_subjects[p_part_places[part]]
      returning given.place, fits
    )
    select coalesce(array_agg(place) filter (where not fits), '{}') into v_left from ending;
    insert into push_relay.told (project_id, subject_id)
    select project_id, v_subjects[p_part_places[part]]
    from unnest(p_to_parts, p_to_projects, p_to_fits) as given (part, project_id, fits)
    where fits and not p_removes[p_part_places[part]] and v_subjects[p_part_places[part]] is not null
    order by 1, 2 on conflict do nothing;
    v_reached := array(
      select place from unnest(p_to_parts, p_to_fits) with ordinality as given (part, fits, place)
      where fits is distinct from false and v_subjects[p_part_places[part]] is not null) || v_left;
  end if;

  with stored as (
    insert into push_relay.event (public_id, event, subject_id, subject, body, data)
    select public_id, event, subject_id, identity, push_relay.compose(public_id, event, school_code, '', now(), p_zone), data
    from (
      select gen_random_uuid() as public_id, *
      from unnest(v_subjects, p_events, p_school_codes, p_identities, p_data)
        with ordinality as each (subject_id, event, school_code, identity, data, place)
      where subject_id is not null order by place) as given
    returning id as event_id, public_id, event, subject_id, subject, body
  ), parts as (
    insert into push_relay.event (id, public_id, event, subject_id, subject, body, data, whole_id) overriding system value
    select v_part_ids[part], public_id, event, subject_id, subject, push_relay.compose_part(body, form, leaves), data, event_id
    from unnest(p_part_places, p_part_forms, p_part_leaves, p_part_data)
      with ordinality as given (place, form, leaves, data, part)
    join stored on stored.subject_id = v_subjects[place]
    where not leaves or exists (select from unnest(v_left) as one where p_to_parts[one] = part)
  ), valid as (
    select id from push_relay.project where statu = 0 and deleted_at is null and selection is null
  ), lane as materialized (
    select nextval(pg_get_serial_sequence('push_relay.delivery', 'id')) as id, *
    from (
      select event_id, valid.id as project_id, subject_id from stored cross join valid
      union all
      select v_part_ids[p_to_parts[one]], p_to_projects[one], v_subjects[p_part_places[p_to_parts[one]]]
      from unnest(v_reached) as one
      order by event_id, project_id) as sorted
  ), held as (
    select delivery_id, project_id, subject_id from push_relay.queue
    where delivery_id in (
      select tail.delivery_id from lane cross join lateral (
        select delivery_id from push_relay.queue
        where project_id = lane.project_id and subject_id = lane.subject_id order by seq desc limit 1) as tail)
    order by delivery_id for key share
  ), made as (
    insert into push_relay.delivery (id, event_id, project_id) overriding system value
    select id, event_id, project_id from lane
  ), queued as (
    insert into push_relay.queue (delivery_id, project_id, subject_id, event_id, seq, head)
    select id, project_id, subject_id, event_id, id,
      not exists (select from held where held.project_id = lane.project_id and held.subject_id = lane.subject_id)
    from lane
  )
  select array_agg(case when current then coalesce(event_id, 0) else -1 end order by place),
    (select coalesce(string_agg(id || ':' || revision, ',' order by id), '') from push_relay.project
      where statu = 0 and deleted_at is null and selection is not null) = p_selected
  into v_events, v_is_fresh
  from unnest(v_current, v_subjects) with ordinality as given (current, subject_id, place)
  left join stored using (subject_id);
  if not v_is_fresh then raise exception 'selections have changed' using errcode = 'QR001'; end if;
  return v_events;
end $$;

-- As ever, where nobody has a selection: a part's statements would cost each event a tenth of its time. Once a project has
-- one it is QR001, and nothing is stored; programs that know of no selections have the event pushed again later.
create or replace function push_relay.accept(
  p_applications bigint[], p_versions text[], p_school_codes text[], p_events text[], p_kinds text[],
  p_identities text[], p_hashes bytea[], p_data text[], p_names text[], p_updated_at timestamptz[], p_removes boolean[],
  p_zone text
) returns bigint[] language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_current boolean[] := array(
    select exists (select from push_relay.campus_app where id = given.application and xmin::text = given.version)
    from unnest(p_applications, p_versions) with ordinality as given (application, version, place)
    order by place);
  v_subjects bigint[];
  v_events bigint[];
  v_is_selected boolean;
begin
  v_subjects := push_relay.note_subjects(
    v_current, p_school_codes, p_kinds, p_identities, p_hashes, p_data, p_names, p_updated_at, p_removes);

  with stored as (
    insert into push_relay.event (public_id, event, subject_id, subject, body, data)
    select public_id, event, subject_id, identity, push_relay.compose(public_id, event, school_code, '', now(), p_zone), data
    from (
      select gen_random_uuid() as public_id, *
      from unnest(v_subjects, p_events, p_school_codes, p_identities, p_data)
        with ordinality as each (subject_id, event, school_code, identity, data, place)
      where subject_id is not null order by place) as given
    returning id as event_id, subject_id
  ), valid as (
    select id, selection is not null as selected from push_relay.project where statu = 0 and deleted_at is null
  ), held as (
    select delivery_id, project_id, subject_id from push_relay.queue
    where delivery_id in (
      select tail.delivery_id from valid cross join stored cross join lateral (
        select delivery_id from push_relay.queue
        where project_id = valid.id and subject_id = stored.subject_id order by seq desc limit 1) as tail)
    order by delivery_id for key share
  ), made as (
    insert into push_relay.delivery (event_id, project_id)
    select event_id, valid.id from stored cross join valid order by event_id, valid.id
    returning id, project_id, event_id
  ), queued as (
    insert into push_relay.queue (delivery_id, project_id, subject_id, event_id, seq, head)
    select made.id, made.project_id, stored.subject_id, made.event_id, made.id,
      not exists (select from held where held.project_id = made.project_id and held.subject_id = stored.subject_id)
    from made join stored using (event_id)
  )
  select array_agg(case when current then coalesce(event_id, 0) else -1 end order by place),
    (select coalesce(bool_or(selected), false) from valid)
  into v_events, v_is_selected
  from unnest(v_current, v_subjects) with ordinality as given (current, subject_id, place)
  left join stored using (subject_id);
  if v_is_selected then raise exception 'a project has a selection' using errcode = 'QR001'; end if;
  return v_events;
end $$;

-- Sends a project parts of the present state of subjects of one kind, as if each was added now. The caller holds the subjects.
create function push_relay.backfill_parts(
  p_project bigint, p_event text, p_subjects bigint[], p_forms text[], p_fits boolean[], p_data text[], p_zone text
) returns integer language plpgsql as $$
declare
  v_deliveries bigint[];
begin
  with given as (
    select *, gen_random_uuid() as public_id
    from unnest(p_subjects, p_forms, p_fits, p_data) with ordinality as each (subject_id, form, fits, data, place)
  ), ending as (
    delete from push_relay.told using given
    where not fits and told.project_id = p_project and told.subject_id = given.subject_id returning given.subject_id
  ), begun as (
    insert into push_relay.told (project_id, subject_id) select p_project, subject_id from given where fits
    on conflict do nothing
  ), stored as (
    insert into push_relay.event (public_id, event, subject_id, subject, body, data, whole_id)
    select public_id, p_event, subject.id, identity,
      push_relay.compose_part(push_relay.compose(public_id, p_event, school_code, '', now(), p_zone), form, fits is false), given.data, 0
    from given join push_relay.subject on subject.id = given.subject_id
    where fits is distinct from false or given.subject_id in (select subject_id from ending)
    order by place returning id
  ), made as (
    insert into push_relay.delivery (event_id, project_id) select id, p_project from stored order by id returning id
  )
  select coalesce(array_agg(id), '{}') into v_deliveries from made;
  perform push_relay.line_up(v_deliveries);
  return cardinality(v_deliveries);
end $$;

-- Has deliveries that are to be made again carry another part of their event. What is on its way stays as it is.
create function push_relay.exchange_parts(
  p_deliveries bigint[], p_wholes bigint[], p_forms text[], p_leaves boolean[], p_data text[]
) returns void language sql as $$
  with given as (
    select *, nextval(pg_get_serial_sequence('push_relay.event', 'id')) as part_id
    from unnest(p_deliveries, p_wholes, p_forms, p_leaves, p_data) as each (delivery_id, whole_id, form, leaves, data)
  ), parts as (
    insert into push_relay.event (id, public_id, event, subject_id, subject, body, data, whole_id, received_at)
      overriding system value
    select part_id, public_id, event, subject_id, subject,
      push_relay.compose_part(regexp_replace(body, '^\w*(.*?)(,"left":true)?\}$', '\1}'), form, leaves), given.data, given.whole_id, received_at
    from given join push_relay.event on event.id = given.whole_id
  ), waiting as (
    update push_relay.queue set event_id = part_id from given
    where queue.delivery_id = given.delivery_id and claim is null
  )
  update push_relay.delivery set event_id = part_id from given where delivery.id = given.delivery_id $$;
