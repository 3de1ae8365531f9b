-- An event is stored once; each project that is valid then gets a delivery, which stays as its history, and a place in
-- the queue, which goes when it is delivered or given up. A lane is the queue of one project and one subject: only its
-- head may be claimed, so the lane is worked off one at a time and in order, and a claim never reads what waits behind.
--
-- How the order holds. Whoever adds to the lanes of a subject holds that subject's row until it commits, so places are
-- given in the order of the commits. It adds behind a lane's last place, which it locks for key share, or as the head
-- when there is none. Whoever removes a place waits for that lock and looks for the next place afterwards, in a statement
-- of its own: it then sees what was added meanwhile. So no lane is left without a head, and none has two.
-- Claims lock with no key update, which gets along with key share: receiving and claiming do not wait for each other.
-- What is written for each delivery has no foreign keys: each check would lock a row of project.

create schema push_relay;

create table push_relay.campus_app (
  id bigint generated always as identity primary key,
  app_key text not null,
  app_secret text not null,
  school_code text not null,
  name text not null default '',
  -- empty: anywhere
  allowed_networks text[] not null default '{}',
  -- whether it may ask for its secret with every push: what decrypts proves no sender
  secret_required boolean not null default false,
  constraint campus_app_key unique (app_key, school_code)
);
select platform.keep_changes('push_relay.campus_app', 'id', '{id}');

create table push_relay.project (
  id bigint generated always as identity primary key,
  url text not null,
  name text not null,
  -- 0 valid, 1 invalid
  statu smallint not null default 0 check (statu in (0, 1)),
  paused boolean not null default false,
  -- whsec_ and base64; the old one signs too until old_secret_until
  secret text not null,
  old_secret text,
  old_secret_until timestamptz check ((old_secret is null) = (old_secret_until is null)),
  -- raised by every change of what a sender has to know
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  deleted_at timestamptz,
  last_success_at timestamptz,
  last_error text,
  failing_since timestamptz
) with (fillfactor = 50);
create unique index project_url_name_key on push_relay.project (url, name) where deleted_at is null;
select platform.keep_changes('push_relay.project', 'id',
  '{id, revision, created_at, last_success_at, last_error, failing_since}');

create function push_relay.revise() returns trigger language plpgsql as $$
begin
  new.revision := old.revision + 1;
  return new;
end $$;
create trigger project_revision before update on push_relay.project for each row
  when ((old.url, old.statu, old.secret, old.old_secret) is distinct from (new.url, new.statu, new.secret, new.old_secret))
  execute function push_relay.revise();

-- Whom events are about, and the latest state of each. The events about who may see an application are one 'range'.
create table push_relay.subject (
  id bigint generated always as identity primary key,
  school_code text not null,
  kind text not null check (kind in ('person', 'organisation', 'range')),
  -- card_number, or the organisation's id as text
  identity text not null,
  -- of the last event stored about it: the same one again within a day is a repeat
  last_hash bytea not null,
  last_event_at timestamptz not null,
  -- whether the directory has it: not before the first state, not after its removal
  present boolean not null default false,
  name text,
  -- the decrypted object as it came
  data text check (present = (data is not null)),
  source_updated_at timestamptz,
  changed_at timestamptz not null default now(),
  constraint subject_key unique (school_code, kind, identity)
) with (fillfactor = 70);
create index subject_present on push_relay.subject (kind, id) where present;
-- With a pending list, kept short: most events come in bursts, and receiving them must not wait for the search.
create index subject_grams on push_relay.subject using gin (platform.grams(identity || ' ' || coalesce(name, '')))
  with (gin_pending_list_limit = 512);

create table push_relay.event (
  id bigint generated always as identity primary key,
  -- the forwarded id and webhook-id: random, since numbers would begin anew after a restore, and receivers drop repeats
  public_id uuid not null,
  event text not null,
  subject_id bigint not null,
  subject text not null,
  -- the bytes that are forwarded, but for the data, which stand apart: a column of their own can be sealed
  body text not null,
  data text not null default '',
  received_at timestamptz not null default now()
);
create index event_subject on push_relay.event (subject, id);

-- The greater half of each page is left for the one update that a delivery usually sees: no index is touched by it.
create table push_relay.delivery (
  id bigint generated always as identity primary key,
  event_id bigint not null,
  project_id bigint not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'dead')),
  attempts integer not null default 0,
  -- of the last attempt
  attempted_at timestamptz,
  status_code smallint,
  duration_ms integer,
  error text,
  created_at timestamptz not null default now(),
  delivered_at timestamptz check ((status = 'delivered') = (delivered_at is not null)),
  -- of the attempt that succeeded; null: not kept, or removed
  exchange_id bigint
) with (fillfactor = 42);
create index delivery_project on push_relay.delivery (project_id, id);
create index delivery_event on push_relay.delivery (event_id);

-- Every attempt but the successful one, which stands in the delivery's row.
create table push_relay.attempt (
  delivery_id bigint not null,
  at timestamptz not null,
  status_code smallint,
  duration_ms integer not null,
  error text,
  exchange_id bigint
);
create index attempt_delivery on push_relay.attempt (delivery_id, at);
create index attempt_exchange on push_relay.attempt (exchange_id);

-- Where a push went and what came back of it. A receiver mostly answers the same, so an exchange is stored once and named
-- by many, for an hour at most after it was stored. So a delivery's is not older than the delivery, give or take that hour,
-- and what is removed needs no index on the deliveries, of which there are many, but one on the few attempts that failed.
create table push_relay.exchange (
  id bigint generated always as identity primary key,
  url text not null,
  -- names and values as a JSON object, in the order of the answer; null without an answer
  headers text,
  body text check ((headers is null) = (body is null)),
  -- whether the body had more
  cut boolean not null default false,
  created_at timestamptz not null default now()
);
create index exchange_age on push_relay.exchange (created_at);

create table push_relay.dead (
  delivery_id bigint primary key,
  project_id bigint not null,
  dead_at timestamptz not null default now()
);
create index dead_project on push_relay.dead (project_id, delivery_id);

-- Those that wait. A claim touches no index; when nothing is heard until its lease ends, the next may have it.
create table push_relay.queue (
  delivery_id bigint primary key,
  project_id bigint not null,
  subject_id bigint not null,
  event_id bigint not null,
  seq bigint not null,
  head boolean not null,
  due_at timestamptz not null default now(),
  failures smallint not null default 0,
  -- the number of the claim that has it, and until when
  claim bigint,
  leased_until timestamptz,
  queued_at timestamptz not null default now()
) with (
  fillfactor = 50, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000
);
create index queue_lane on push_relay.queue (project_id, subject_id, seq);
create index queue_due on push_relay.queue (project_id, due_at, seq) where head;
create sequence push_relay.claim_number;

create unlogged table push_relay.pulse (
  minute bigint not null,
  process uuid not null,
  delivered integer not null,
  primary key (minute, process)
);

-- What is forwarded, put together once, so that a repeat is the same to the last byte.
create function push_relay.compose(
  p_public_id uuid, p_event text, p_school_code text, p_data text, p_received_at timestamptz, p_zone text
) returns text language sql stable
return '{"id":"' || p_public_id || '","event":' || to_json(p_event) || ',"school_code":' || to_json(p_school_code)
  || ',"data":' || p_data || ',"receivedTime":"' || to_char(p_received_at at time zone p_zone, 'YYYY-MM-DD HH24:MI:SS') || '"}';

-- A body and the data that belong into it, on lines of their own: a body is one line.
create function push_relay.forwarded(p_event push_relay.event) returns text language sql immutable
return p_event.body || E'\n' || p_event.data;

-- Stores events about as many different subjects, each subject's state, and a delivery of each for each valid project.
-- Whoever pushes at the same time shares a call, and so a commit: one by one each would cost three times as much.
-- Returns the events' ids in the order given: 0 for the repeat of the last event about its subject, -1 for an event
-- whose application is not the version named any more. Rows are locked in one order, so that calls do not lock one
-- another out: subjects by their key, then the ends of lanes by delivery. The planner is held to indexes, as in claim.
create function push_relay.accept(
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
begin
  with given as (
    select *, not removes and kind <> 'range' as keeps
    from unnest(v_current, p_school_codes, p_kinds, p_identities, p_hashes, p_data, p_names, p_updated_at, p_removes)
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
    select id from push_relay.project where statu = 0 and deleted_at is null
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
  select array_agg(case when current then coalesce(event_id, 0) else -1 end order by place) into v_events
  from unnest(v_current, v_subjects) with ordinality as given (current, subject_id, place)
  left join stored using (subject_id);
  return v_events;
end $$;

-- Puts deliveries that are not in the queue at the end of their lanes. The caller holds their subjects.
create function push_relay.line_up(p_deliveries bigint[]) returns void language sql as $$
  with wanted as (
    select delivery.id, delivery.project_id, delivery.event_id, event.subject_id,
      row_number() over (partition by delivery.project_id, event.subject_id order by delivery.id) as place
    from push_relay.delivery join push_relay.event on event.id = delivery.event_id
    where delivery.id = any (p_deliveries)
  ), held as (
    select delivery_id, project_id, subject_id from push_relay.queue
    where delivery_id in (
      select tail.delivery_id from wanted cross join lateral (
        select delivery_id from push_relay.queue
        where project_id = wanted.project_id and subject_id = wanted.subject_id order by seq desc limit 1) as tail
      where wanted.place = 1)
    order by delivery_id for key share
  )
  insert into push_relay.queue (delivery_id, project_id, subject_id, event_id, seq, head)
  select id, project_id, subject_id, event_id, nextval(pg_get_serial_sequence('push_relay.delivery', 'id')),
    place = 1 and not exists (
      select from held where held.project_id = sorted.project_id and held.subject_id = sorted.subject_id)
  from (select * from wanted order by id) as sorted $$;

-- Sends deliveries once more, whatever became of them: those that wait are due at once with the whole schedule before
-- them, the others go to the end of their lanes. Returns how many; those of deleted projects are left out.
create function push_relay.replay(p_deliveries bigint[]) returns integer language plpgsql as $$
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

-- Sends a project the present state of the next so many subjects of a kind after an id, as if each was added now.
create function push_relay.backfill(
  p_project bigint, p_kind text, p_event text, p_after bigint, p_most integer, p_zone text
) returns table (added integer, last_id bigint) language plpgsql as $$
declare
  v_subjects bigint[] := array(
    select id from push_relay.subject where present and kind = p_kind and id > p_after order by id limit p_most);
  v_deliveries bigint[];
begin
  perform from push_relay.subject where id = any (v_subjects) order by school_code, kind, identity for update;
  with state as (
    select subject.id, school_code, identity, data, gen_random_uuid() as public_id
    from push_relay.subject where id = any (v_subjects) and present
  ), stored as (
    insert into push_relay.event (public_id, event, subject_id, subject, body, data)
    select public_id, p_event, id, identity, push_relay.compose(public_id, p_event, school_code, '', now(), p_zone), data
    from state order by id returning id
  ), made as (
    insert into push_relay.delivery (event_id, project_id) select id, p_project from stored order by id returning id
  )
  select coalesce(array_agg(id), '{}') into v_deliveries from made;
  perform push_relay.line_up(v_deliveries);
  return query select cardinality(v_deliveries), v_subjects[cardinality(v_subjects)];
end $$;

-- Takes what is due: of each project at most `p_room` lanes, one delivery of each, or what p_rooms and p_runs say for those
-- in p_projects. Returned lane by lane, each in its order. Bodies of more than p_inline bytes, or than a share of that for
-- what follows a head, are left out. What follows a head is not claimed itself: nobody else may have it while the head
-- is held. What became of a run's first ones is to be settled in one call, or the next would come to the head while it is
-- on its way. The planner is held to indexes: it cannot know how many a claim brings, and would rather read whole tables.
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
    case when octet_length(event.body) + octet_length(event.data) <= run.inline then push_relay.forwarded(event.*) end
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
  p_durations_ms integer[], p_errors text[], p_delays_ms bigint[], p_exchanges bigint[]
) returns integer language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_projects bigint[];
  v_subjects bigint[];
  v_seqs bigint[];
  v_written integer;
begin
  -- Locked in one order, which is that of the adders.
  with given as (
    select * from unnest(p_deliveries, p_claims, p_outcomes, p_at_ms, p_status_codes, p_durations_ms, p_errors, p_delays_ms,
      p_exchanges) as each (delivery_id, claim, outcome, at_ms, status_code, duration_ms, error, delay_ms, exchange_id)
    order by delivery_id
  ), gone as (
    delete from push_relay.queue using given
    where queue.delivery_id = given.delivery_id and (queue.claim = given.claim or queue.claim is null)
      and outcome in ('delivered', 'dead')
    returning queue.project_id, queue.subject_id, queue.seq, queue.head, given.*
  ), kept as (
    update push_relay.queue set
      due_at = now() + delay_ms * interval '1 millisecond', claim = null, leased_until = null,
      failures = failures + (outcome = 'retry')::int
    from given where queue.delivery_id = given.delivery_id and (queue.claim = given.claim or queue.claim is null)
      and outcome in ('retry', 'back')
    returning queue.project_id, queue.subject_id, queue.seq, queue.head, given.*
  ), settled as (
    select * from gone union all select * from kept
  ), told as (
    update push_relay.delivery set
      status = case when outcome = 'retry' then 'pending' else outcome end, attempts = attempts + 1,
      attempted_at = to_timestamp(at_ms / 1000::float8),
      delivered_at = case when outcome = 'delivered' then to_timestamp((at_ms + settled.duration_ms) / 1000::float8) end,
      status_code = settled.status_code, duration_ms = settled.duration_ms, error = settled.error,
      exchange_id = case when outcome = 'delivered' then settled.exchange_id end
    from settled where delivery.id = settled.delivery_id and outcome <> 'back'
  ), dead as (
    insert into push_relay.dead (delivery_id, project_id)
    select delivery_id, project_id from gone where outcome = 'dead'
  ), failed as (
    insert into push_relay.attempt (delivery_id, at, status_code, duration_ms, error, exchange_id)
    select delivery_id, to_timestamp(at_ms / 1000::float8), status_code, duration_ms, error, exchange_id
    from settled where outcome in ('dead', 'retry')
  ), lane as (
    select project_id, subject_id, max(seq) as seq from gone group by project_id, subject_id having bool_or(head)
  )
  select array_agg(project_id), array_agg(subject_id), array_agg(seq), (select count(*) from settled)
  into v_projects, v_subjects, v_seqs, v_written from lane;

  -- A head goes with what follows it, or alone: the next is behind the last of them. To look from the lane's beginning
  -- would meet all that are gone. One that was just tried keeps the time it has to wait.
  update push_relay.queue set head = true, due_at = greatest(due_at, now()) where delivery_id in (
    select next.delivery_id from unnest(v_projects, v_subjects, v_seqs) as lane (project_id, subject_id, seq)
    cross join lateral (
      select queue.delivery_id from push_relay.queue
      where queue.project_id = lane.project_id and queue.subject_id = lane.subject_id and queue.seq > lane.seq
      order by queue.seq limit 1) as next);
  return v_written;
end $$;
