-- beside: 0006

-- As before, but a lease that has ended holds nothing: what it held is replayed, and comes as the project has it now. What is
-- on its way stays as it is in the log too.
create or replace function push_relay.exchange_parts(
  p_deliveries bigint[], p_wholes bigint[], p_forms text[], p_leaves boolean[], p_data text[]
) returns void language sql as $$
  with given as (
    select *, nextval(pg_get_serial_sequence('push_relay.event', 'id')) as part_id
    from unnest(p_deliveries, p_wholes, p_forms, p_leaves, p_data) as each (delivery_id, whole_id, form, leaves, data)
    where not exists (select from push_relay.queue where queue.delivery_id = each.delivery_id and leased_until > now())
  ), parts as (
    insert into push_relay.event (id, public_id, event, subject_id, subject, body, data, whole_id, received_at)
      overriding system value
    select part_id, public_id, event, subject_id, subject,
      push_relay.compose_part(regexp_replace(body, '^\w*(.*?)(,"left":true)?\}$', '\1}'), form, leaves), given.data, given.whole_id, received_at
    from given join push_relay.event on event.id = given.whole_id
  ), waiting as (
    update push_relay.queue set event_id = part_id from given
    where queue.delivery_id = given.delivery_id and (leased_until is null or leased_until <= now())
    returning queue.delivery_id
  )
  update push_relay.delivery set event_id = part_id from given
  where delivery.id = given.delivery_id and (given.delivery_id in (select delivery_id from waiting)
    or not exists (select from push_relay.queue where queue.delivery_id = given.delivery_id)) $$;

create or replace function push_relay.replay(p_deliveries bigint[]) returns integer language plpgsql as $$
declare
  v_again bigint[];
  v_waiting integer;
begin
  perform from push_relay.subject where id in (
    select event.subject_id from push_relay.delivery join push_relay.event on event.id = delivery.event_id
    where delivery.id = any (p_deliveries))
  order by school_code, kind, identity for update;
  -- One that is held is on its way: nothing is to be done about it. The number of an ended lease is taken away, so that whoever
  -- had it cannot acknowledge what comes now.
  update push_relay.queue set due_at = now(), failures = 0, leased_until = null,
    claim = case when claim is not null then nextval('push_relay.claim_number') end
  where (leased_until is null or leased_until <= now()) and delivery_id in (
    select delivery_id from push_relay.queue where delivery_id = any (p_deliveries) for update skip locked);
  select count(*) into v_waiting
  from push_relay.queue join push_relay.project on project.id = queue.project_id
  where queue.delivery_id = any (p_deliveries) and project.deleted_at is null;
  v_again := array(
    select delivery.id from push_relay.delivery join push_relay.project on project.id = delivery.project_id
    where delivery.id = any (p_deliveries) and delivery.status <> 'pending' and project.deleted_at is null
    order by delivery.id for no key update of delivery);
  insert into push_relay.attempt (delivery_id, at, status_code, duration_ms, error, exchange_id)
  select id, attempted_at, status_code, duration_ms, error, exchange_id from push_relay.delivery
  where id = any (v_again) and status = 'delivered';
  update push_relay.delivery set status = 'pending', delivered_at = null, exchange_id = null where id = any (v_again);
  delete from push_relay.dead where delivery_id = any (v_again);
  perform push_relay.line_up(v_again);
  return v_waiting + cardinality(v_again);
end $$;
