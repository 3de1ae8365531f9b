-- beside: 0006

-- A project with pull is sent nothing: whoever has its key fetches what waits.
alter table push_relay.project add column pull boolean not null default false;

-- Of a key its hash alone is kept.
create table push_relay.project_key (
  project_id bigint primary key,
  hash bytea not null
);

-- What was given to a reader at once, in the order of the lanes. As in a claim of pushes only the heads are claimed, under the
-- lease's number; what follows them is safe behind them. One that is acknowledged stays for a while: the answer may be lost.
create table push_relay.lease (
  claim bigint primary key,
  cursor uuid not null default gen_random_uuid() unique,
  project_id bigint not null,
  -- null: acknowledged
  deliveries bigint[],
  given_at timestamptz not null default clock_timestamp()
);
create index lease_project on push_relay.lease (project_id);

-- Gives a reader what waits for its project and nobody else has, whatever a push would still wait for: lanes in the order in
-- which their heads are due, each as far as it goes, up to p_limit deliveries and p_bytes of data. The planner is held to
-- indexes, and to taking the lanes one by one: no more heads are locked than it takes.
create function push_relay.pull(p_project bigint, p_limit integer, p_lease_ms integer, p_bytes integer)
returns table (delivery_id bigint, head boolean, claim bigint, cursor uuid, body text, more boolean) language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_claim bigint := nextval('push_relay.claim_number');
  v_heads bigint[];
  v_ids bigint[];
  v_more boolean;
  v_cursor uuid;
begin
  -- A lease that a power cut forgets is given again.
  perform set_config('synchronous_commit', 'off', true);
  with found as materialized (
    select run.delivery_id, run.seq, lane.seq as lane,
      coalesce(octet_length(event.body) + octet_length(event.data), 0) as bytes
    from push_relay.project cross join lateral (
      select queue.subject_id, queue.seq from push_relay.queue
      where queue.project_id = project.id and queue.head and (queue.leased_until is null or queue.leased_until <= now())
      order by queue.due_at, queue.seq limit p_limit + 1
      for no key update skip locked) as lane
    cross join lateral (
      select queue.delivery_id, queue.event_id, queue.seq from push_relay.queue
      where queue.project_id = project.id and queue.subject_id = lane.subject_id and queue.seq >= lane.seq
      order by queue.seq limit p_limit + 1) as run
    left join push_relay.event on event.id = run.event_id
    where project.id = p_project and pull and statu = 0 and not paused and deleted_at is null
    limit p_limit + 1
  ), sized as (
    select *, row_number() over line as place, sum(bytes) over line as sum from found window line as (order by lane, seq)
  ), given as (
    select * from sized where place = 1 or place <= p_limit and sum <= p_bytes
  )
  select array_agg(given.delivery_id order by lane, seq), array_agg(given.delivery_id) filter (where seq = lane),
    count(*) < (select count(*) from sized)
  into v_ids, v_heads, v_more from given;
  if v_ids is null then return; end if;
  update push_relay.queue set leased_until = clock_timestamp() + p_lease_ms * interval '1 millisecond', claim = v_claim
  where queue.delivery_id = any (v_heads);
  insert into push_relay.lease as lease (claim, project_id, deliveries) values (v_claim, p_project, v_ids)
  returning lease.cursor into v_cursor;
  return query
  select queue.delivery_id, queue.head, v_claim, v_cursor, push_relay.forwarded(event.*), v_more
  from unnest(v_ids) as id join push_relay.queue on queue.delivery_id = id join push_relay.event on event.id = queue.event_id
  order by queue.seq;
end $$;

-- Writes down that a reader has what it was given: all of it, or QR002 where any was given to another meanwhile. Returns how
-- many that were, 0 for what is acknowledged already, null for a cursor that the project does not have.
create function push_relay.acknowledge(p_project bigint, p_cursor uuid) returns integer language plpgsql as $$
declare
  v_lease push_relay.lease;
  v_count integer;
  v_at_ms bigint;
  v_duration_ms integer;
begin
  select * into v_lease from push_relay.lease where cursor = p_cursor and project_id = p_project for update;
  if not found then return null; end if;
  if v_lease.deliveries is null then return 0; end if;
  v_count := cardinality(v_lease.deliveries);
  v_at_ms := floor(extract(epoch from v_lease.given_at) * 1000);
  v_duration_ms := greatest(0, floor(extract(epoch from clock_timestamp()) * 1000) - v_at_ms);
  if push_relay.settle(
    v_lease.deliveries, array_fill(v_lease.claim, array[v_count]), array_fill('delivered'::text, array[v_count]),
    array_fill(v_at_ms, array[v_count]), array_fill(null::smallint, array[v_count]), array_fill(v_duration_ms, array[v_count]),
    array_fill(null::text, array[v_count]), array_fill(0::bigint, array[v_count]), array_fill(null::bigint, array[v_count])
  ) <> v_count then
    raise exception 'given to another' using errcode = 'QR002';
  end if;
  update push_relay.lease set deliveries = null where claim = v_lease.claim;
  return v_count;
end $$;

-- As ever, but for what is pulled.
create or replace function push_relay.claim(
  p_projects bigint[], p_rooms integer[], p_runs integer[], p_room integer, p_lease_ms integer, p_inline integer
) returns table (
  delivery_id bigint, project_id bigint, revision integer, event_id bigint, public_id uuid, failures smallint,
  claim bigint, head boolean, body text
) language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_claim bigint := nextval('push_relay.claim_number');
  v_due bigint[];
begin
  -- A claim that a power cut forgets is made again.
  perform set_config('synchronous_commit', 'off', true);
  v_due := array(
    select head.delivery_id
    from push_relay.project
    left join unnest(p_projects, p_rooms) as known (id, room) on known.id = project.id
    cross join lateral (
      select queue.delivery_id from push_relay.queue
      where queue.project_id = project.id and queue.head and queue.due_at <= now()
        and (queue.leased_until is null or queue.leased_until <= now())
      order by queue.due_at, queue.seq limit coalesce(known.room, p_room)
      for no key update skip locked) as head
    where project.statu = 0 and not project.paused and not project.pull and project.deleted_at is null);
  return query
  with taken as (
    update push_relay.queue set leased_until = clock_timestamp() + p_lease_ms * interval '1 millisecond', claim = v_claim
    where queue.delivery_id = any (v_due)
    returning queue.delivery_id, queue.project_id, queue.subject_id, queue.event_id, queue.failures, queue.seq
  ), run as (
    select taken.seq as lane, taken.seq, true as head, taken.delivery_id, taken.project_id, taken.event_id, taken.failures,
      p_inline as inline
    from taken
    union all
    select taken.seq, next.seq, false, next.delivery_id, taken.project_id, next.event_id, next.failures,
      p_inline / known.length
    from taken join unnest(p_projects, p_runs) as known (id, length) on known.id = taken.project_id and known.length > 1
    cross join lateral (
      select queue.delivery_id, queue.event_id, queue.failures, queue.seq from push_relay.queue
      where queue.project_id = taken.project_id and queue.subject_id = taken.subject_id and queue.seq > taken.seq
      order by queue.seq limit known.length - 1) as next
  )
  select run.delivery_id, run.project_id, project.revision, run.event_id, event.public_id, run.failures, v_claim, run.head,
    case when octet_length(event.body) + octet_length(event.data) <= run.inline then push_relay.forwarded(event.*) end
  -- Put in order before the bodies come in.
  from (select * from run order by lane, seq) as run
  join push_relay.event on event.id = run.event_id join push_relay.project on project.id = run.project_id
  order by run.lane, run.seq;
end $$;
