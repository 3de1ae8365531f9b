-- Push relay: exchanges, which are where a push went and what came back of it. What was sent besides is known from the
-- event and the time of the attempt.
--
-- A receiver mostly answers the same, so an exchange is stored once and named by many: a delivery that succeeds gets a
-- number in a row that is written anyway, and no row of its own. A process names one for an hour at most after it has
-- stored it, so a delivery's is not older than the delivery, give or take that hour. Hence what is removed needs no index on
-- the deliveries, of which there are many, but one on the attempts that failed, of which there are few.

create table push_relay.exchange (
  id bigint generated always as identity primary key,
  url text not null,
  -- names and values as a JSON object, in the order of the answer; null without an answer
  headers text,
  body text,
  -- whether there was more of the body
  cut boolean not null default false,
  created_at timestamptz not null default now(),
  check ((headers is null) = (body is null))
);
create index exchange_age on push_relay.exchange (created_at);

-- Of the attempt that succeeded. Null: not kept then, or removed.
alter table push_relay.delivery add exchange_id bigint;
alter table push_relay.attempt add exchange_id bigint;
create index attempt_exchange on push_relay.attempt (exchange_id);

drop function push_relay.settle(
  bigint[], bigint[], text[], bigint[], smallint[], integer[], text[], bigint[]);

-- Writes down what became of claimed deliveries, each 'delivered', 'retry', 'dead' or 'back' (handed back untried), and
-- lets the next of their lanes come to the head. One whose claim has passed to another by now is left alone. Of several of
-- a lane only the last may be anything but delivered. Returns how many were written down.
-- A claim that a power cut forgot is as good as held while nobody else has taken it, and what follows a head has none.
create function push_relay.settle(
  p_deliveries bigint[], p_claims bigint[], p_outcomes text[], p_at_ms bigint[], p_status_codes smallint[],
  p_durations_ms integer[], p_errors text[], p_delays_ms bigint[], p_exchanges bigint[]
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
    select * from unnest(p_deliveries, p_claims, p_outcomes, p_at_ms, p_status_codes, p_durations_ms, p_errors,
      p_exchanges) as each (delivery_id, claim, outcome, at_ms, status_code, duration_ms, error, exchange_id)
    where outcome in ('delivered', 'dead') order by delivery_id
  ), gone as (
    delete from push_relay.queue using done
    where queue.delivery_id = done.delivery_id and (queue.claim = done.claim or queue.claim is null)
    returning queue.project_id, queue.subject_id, queue.seq, queue.head, done.*
  ), told as (
    update push_relay.delivery set
      status = outcome, attempts = attempts + 1, attempted_at = to_timestamp(at_ms / 1000::float8),
      delivered_at = case when outcome = 'delivered' then to_timestamp((at_ms + gone.duration_ms) / 1000::float8) end,
      status_code = gone.status_code, duration_ms = gone.duration_ms, error = gone.error,
      exchange_id = case when outcome = 'delivered' then gone.exchange_id end
    from gone where delivery.id = gone.delivery_id
  ), dead as (
    insert into push_relay.dead (delivery_id, project_id)
    select delivery_id, project_id from gone where outcome = 'dead'
  ), failed as (
    insert into push_relay.attempt (delivery_id, at, status_code, duration_ms, error, exchange_id)
    select delivery_id, to_timestamp(at_ms / 1000::float8), status_code, duration_ms, error, exchange_id
    from gone where outcome = 'dead'
  ), lane as (
    select project_id, subject_id, max(seq) as seq from gone group by project_id, subject_id having bool_or(head)
  )
  select array_agg(project_id), array_agg(subject_id), array_agg(seq), (select count(*) from gone)
  into v_projects, v_subjects, v_seqs, v_over from lane;

  if p_outcomes && array['retry', 'back'] then
    with done as (
      select * from unnest(
        p_deliveries, p_claims, p_outcomes, p_at_ms, p_status_codes, p_durations_ms, p_errors, p_delays_ms,
        p_exchanges) as each (delivery_id, claim, outcome, at_ms, status_code, duration_ms, error, delay_ms, exchange_id)
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
      insert into push_relay.attempt (delivery_id, at, status_code, duration_ms, error, exchange_id)
      select delivery_id, to_timestamp(at_ms / 1000::float8), status_code, duration_ms, error, exchange_id
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

-- Sends deliveries once more, whatever became of them: those that wait are due at once with the whole schedule before
-- them, the others go to the end of their lanes. Returns how many; those of deleted projects are left out.
create or replace function push_relay.replay(p_deliveries bigint[]) returns integer language plpgsql as $$
declare
  v_again bigint[];
  v_waiting integer;
begin
  perform from push_relay.subject where id in (
    select event.subject_id from push_relay.delivery join push_relay.event on event.id = delivery.event_id
    where delivery.id = any (p_deliveries))
  order by school_code, kind, identity for update;

  -- One that is claimed is on its way: nothing is to be done about it.
  update push_relay.queue set due_at = now(), failures = 0
  where claim is null and delivery_id in (
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
