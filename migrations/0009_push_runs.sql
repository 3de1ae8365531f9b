-- Push relay: runs. To claim a lane's head and to move the next one up costs as much as all the rest of a delivery, so a
-- claim may bring some that follow the head as well. They are not claimed themselves: they are not heads, so nobody else
-- may have them while the head is held. What became of a run's first ones is to be settled in one call, or the next would
-- come to the head while it is on its way. One that was not sent needs no settling.

drop function push_relay.claim(bigint[], integer[], integer, integer, integer);
drop function push_relay.settle(
  bigint[], bigint[], text[], timestamptz[], smallint[], integer[], text[], bigint[]);

-- Takes what is due: of each project at most `p_room` lanes, one delivery of each, or what p_rooms and p_runs say for those
-- in p_projects. Returned lane by lane, each in its order. Bodies of more than p_inline bytes, or than a share of that for
-- what follows a head, are left out, to be fetched when their turn comes.
-- The planner is held to indexes: it cannot know how many a claim brings, and would rather read whole tables.
create function push_relay.claim(
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
  -- A claim that a power cut forgets is only made again.
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
    where project.statu = 0 and not project.paused and project.deleted_at is null);
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
    case when octet_length(event.body) <= run.inline then event.body end
  -- Put in order before the bodies come in.
  from (select * from run order by lane, seq) as run
  join push_relay.event on event.id = run.event_id join push_relay.project on project.id = run.project_id
  order by run.lane, run.seq;
end $$;

-- Writes down what became of claimed deliveries, each 'delivered', 'retry', 'dead' or 'back' (handed back untried), and
-- lets the next of their lanes come to the head. One whose claim has passed to another by now is left alone. Of several of
-- a lane only the last may be anything but delivered. Returns how many were written down.
-- A claim that a power cut forgot is as good as held while nobody else has taken it, and what follows a head has none.
create function push_relay.settle(
  p_deliveries bigint[], p_claims bigint[], p_outcomes text[], p_at_ms bigint[], p_status_codes smallint[],
  p_durations_ms integer[], p_errors text[], p_delays_ms bigint[]
) returns integer language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_projects bigint[];
  v_subjects bigint[];
  v_seqs bigint[];
  v_over integer;
  v_kept integer := 0;
begin
  -- Locked in one order, which is that of the adders.
  with done as (
    select * from unnest(p_deliveries, p_claims, p_outcomes, p_at_ms, p_status_codes, p_durations_ms, p_errors)
      as each (delivery_id, claim, outcome, at_ms, status_code, duration_ms, error)
    where outcome in ('delivered', 'dead') order by delivery_id
  ), gone as (
    delete from push_relay.queue using done
    where queue.delivery_id = done.delivery_id and (queue.claim = done.claim or queue.claim is null)
    returning queue.project_id, queue.subject_id, queue.seq, queue.head, done.*
  ), told as (
    update push_relay.delivery set
      status = outcome, attempts = attempts + 1, attempted_at = to_timestamp(at_ms / 1000::float8),
      delivered_at = case when outcome = 'delivered' then to_timestamp((at_ms + gone.duration_ms) / 1000::float8) end,
      status_code = gone.status_code, duration_ms = gone.duration_ms, error = gone.error
    from gone where delivery.id = gone.delivery_id
  ), dead as (
    insert into push_relay.dead (delivery_id, project_id)
    select delivery_id, project_id from gone where outcome = 'dead'
  ), failed as (
    insert into push_relay.attempt (delivery_id, at, status_code, duration_ms, error)
    select delivery_id, to_timestamp(at_ms / 1000::float8), status_code, duration_ms, error
    from gone where outcome = 'dead'
  ), lane as (
    select project_id, subject_id, max(seq) as seq from gone group by project_id, subject_id having bool_or(head)
  )
  select array_agg(project_id), array_agg(subject_id), array_agg(seq), (select count(*) from gone)
  into v_projects, v_subjects, v_seqs, v_over from lane;

  if p_outcomes && array['retry', 'back'] then
    with done as (
      select * from unnest(
        p_deliveries, p_claims, p_outcomes, p_at_ms, p_status_codes, p_durations_ms, p_errors, p_delays_ms)
        as each (delivery_id, claim, outcome, at_ms, status_code, duration_ms, error, delay_ms)
      where outcome in ('retry', 'back') order by delivery_id
    ), kept as (
      update push_relay.queue set
        due_at = now() + delay_ms * interval '1 millisecond', claim = null, leased_until = null,
        failures = failures + (outcome = 'retry')::int
      from done where queue.delivery_id = done.delivery_id and (queue.claim = done.claim or queue.claim is null)
      returning done.*
    ), told as (
      update push_relay.delivery set
        attempts = attempts + 1, attempted_at = to_timestamp(at_ms / 1000::float8), status_code = kept.status_code,
        duration_ms = kept.duration_ms, error = kept.error
      from kept where delivery.id = kept.delivery_id and outcome = 'retry'
    ), failed as (
      insert into push_relay.attempt (delivery_id, at, status_code, duration_ms, error)
      select delivery_id, to_timestamp(at_ms / 1000::float8), status_code, duration_ms, error
      from kept where outcome = 'retry'
    )
    select count(*) into v_kept from kept;
  end if;

  -- A head goes with what follows it, or alone: the next is behind the last of them. To look from the lane's beginning
  -- would meet all that are gone. One that was just tried keeps the time it has to wait.
  update push_relay.queue set head = true, due_at = greatest(due_at, now()) where delivery_id in (
    select next.delivery_id from unnest(v_projects, v_subjects, v_seqs) as lane (project_id, subject_id, seq)
    cross join lateral (
      select queue.delivery_id from push_relay.queue
      where queue.project_id = lane.project_id and queue.subject_id = lane.subject_id and queue.seq > lane.seq
      order by queue.seq limit 1) as next);
  return v_over + v_kept;
end $$;
