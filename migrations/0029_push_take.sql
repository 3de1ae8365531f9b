-- beside: 0006

-- As before, at less cost: sequences are looked up once a call and not once a row, and who was told is asked and written
-- only where a project has conditions.
create or replace function push_relay.take(
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
  v_event_ids regclass := pg_get_serial_sequence('push_relay.event', 'id');
  v_delivery_ids regclass := pg_get_serial_sequence('push_relay.delivery', 'id');
  v_part_ids bigint[] := array(select nextval(v_event_ids) from unnest(p_part_places));
  v_left bigint[] := '{}';
  v_is_fresh boolean;
begin
  v_subjects := push_relay.note_subjects(
    v_current, p_school_codes, p_kinds, p_identities, p_hashes, p_data, p_names, p_updated_at, p_removes);

  if exists (select from unnest(p_to_fits) as fits where fits is not null) then
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
    select nextval(v_delivery_ids) as id, *
    from (
      select event_id, valid.id as project_id, subject_id from stored cross join valid
      union all
      select v_part_ids[part], project_id, v_subjects[p_part_places[part]]
      from unnest(p_to_parts, p_to_projects, p_to_fits) with ordinality as given (part, project_id, fits, place)
      where v_subjects[p_part_places[part]] is not null and (fits is distinct from false or place = any (v_left))
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
