-- Exact totals of lists that grow without end, out of a few rows: the one way of all tallies.
--
-- Whoever changes a table adds to a row of its own session, so that no two writers ever meet, and a job each minute
-- folds what was added into the tallies, which have a row for all time, for each month, and for each finer span. Tally
-- and additions together are exact at every moment, since one statement sees either both sides of a fold or none.
-- Spans are in the local time of `zone`, an expression; those of "all" begin at -infinity.

create table platform.tallied (
  source text primary key,
  addition text not null,
  -- SQL that counts the table anew into the additions, and that folds these
  recount text not null,
  fold text not null
);

-- Counts the rows of a table from now on. `steps` are units of date_trunc, the finest first, and "all"; `tallies` names
-- each tally with the columns by which it is always asked, which stand first in its key, and those that split it:
-- {"trade_tally": {"of": ["trade"], "split": ["closed"]}}.
create function platform.keep_tallies(source text, moment text, zone text, steps text[], tallies jsonb) returns void
language plpgsql as $make$
declare
  place text := split_part(source, '.', 1);
  addition text := source || '_addition';
  columns text[] := array(
    select distinct listed.name
    from jsonb_each(tallies) as tally, jsonb_array_elements_text((tally.value -> 'of') || (tally.value -> 'split')) as listed (name)
    order by 1);
  keys text := array_to_string(columns, ', ');
  typed text := (
    select string_agg(format('%I %s not null', attname, format_type(atttypid, atttypmod)), ', ' order by attname)
    from pg_attribute where attrelid = source::regclass and attname = any(columns));
  span text := format('date_trunc(%L, %I at time zone %s)', steps[1], moment, zone);
  add text := format('insert into %s as known (start, %s, session, lines)', addition, keys);
  meet text := format('on conflict (start, %s, session) do update set lines = known.lines + excluded.lines', keys);
  groups text := (select string_agg(n::text, ', ') from generate_series(1, cardinality(columns) + 1) as n);
  folds text := '';
  tally record;
begin
  execute format('create table %s (start timestamp not null, %s, session integer not null, lines bigint not null,
    primary key (start, %s, session)) with (fillfactor = 50)', addition, typed, keys);

  -- Rows are taken in the order of their keys. What an update leaves as it was is not written.
  execute format($sql$
    create function %1$s_tally() returns trigger language plpgsql as $body$
    begin
      if tg_op = 'INSERT' then
        %2$s select %3$s, %4$s, pg_backend_pid(), count(*) from after_change group by %5$s order by %5$s %6$s;
      elsif tg_op = 'DELETE' then
        %2$s select %3$s, %4$s, pg_backend_pid(), -count(*) from before_change group by %5$s order by %5$s %6$s;
      else
        %2$s select %3$s, %4$s, pg_backend_pid(), sum(change)
        from (select %7$I, %4$s, 1 as change from after_change union all select %7$I, %4$s, -1 from before_change) as changes
        group by %5$s having sum(change) <> 0 order by %5$s %6$s;
      end if;
      return null;
    end $body$;
    create trigger tally_insert after insert on %1$s referencing new table as after_change
      for each statement execute function %1$s_tally();
    create trigger tally_update after update on %1$s referencing old table as before_change new table as after_change
      for each statement execute function %1$s_tally();
    create trigger tally_delete after delete on %1$s referencing old table as before_change
      for each statement execute function %1$s_tally()
    $sql$, source, add, span, keys, groups, meet, moment);

  for tally in
    select place || '.' || key as name, value,
      array(select jsonb_array_elements_text(value -> 'of')) as owners,
      array(select jsonb_array_elements_text(value -> 'split')) as splits
    from jsonb_each(tallies)
  loop
    execute format('create table %s (step text not null, start timestamp not null, %s, lines bigint not null, primary key (%s)) with (fillfactor = 80)',
      tally.name,
      (select string_agg(format('%I %s not null', attname, format_type(atttypid, atttypmod)), ', ' order by attname)
        from pg_attribute where attrelid = source::regclass and attname = any(tally.owners || tally.splits)),
      array_to_string(tally.owners || '{step, start}' || tally.splits, ', '));
    folds := folds || format($sql$, into_%1$s as (
      insert into %2$s as known (step, start, %3$s, lines)
      select step, case step when 'all' then '-infinity' else date_trunc(step, start) end, %3$s, sum(lines)
      from taken cross join unnest(%4$L::text[]) as step group by %5$s having sum(lines) <> 0 order by %5$s
      on conflict (step, start, %3$s) do update set lines = known.lines + excluded.lines)$sql$,
      replace(tally.name, '.', '_'), tally.name, array_to_string(tally.owners || tally.splits, ', '), steps,
      (select string_agg(n::text, ', ') from generate_series(1, cardinality(tally.owners || tally.splits) + 2) as n));
  end loop;

  insert into platform.tallied values (source, addition,
    format('delete from %s', addition) || (
      select string_agg(format('; delete from %s.%I', place, key), '') from jsonb_object_keys(tallies) as key) ||
    format('; %s select %s, %s, pg_backend_pid(), count(*) from %s group by %s', add, span, keys, source, groups),
    -- Those that a writer holds just now come with the next fold.
    format($sql$with chosen as (select start, %2$s, session from %1$s for update skip locked),
      taken as (delete from %1$s as added using chosen
        where (added.start, %3$s, added.session) = (chosen.start, %4$s, chosen.session) returning added.start, %3$s, added.lines)%5$s
      select from taken limit 0$sql$,
      addition, keys, (select string_agg('added.' || key, ', ') from unnest(columns) as key),
      (select string_agg('chosen.' || key, ', ') from unnest(columns) as key), folds));
  perform platform.recount_tallies(source);
end $make$;

-- Moves what was added since the last time into the tallies; one does it at a time, others leave it to that.
create function platform.fold_tallies(of_source text) returns void language plpgsql as $$
begin
  if pg_try_advisory_xact_lock(hashtextextended('tally ' || of_source, 0)) then
    execute (select fold from platform.tallied where source = of_source);
  end if;
end $$;

-- Counts a table anew while nobody writes to it: at first, and when the zone of its spans has changed.
create function platform.recount_tallies(of_source text) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('tally ' || of_source, 0));
  execute format('lock table %s in share row exclusive mode', of_source);
  execute (select recount from platform.tallied where source = of_source);
  execute (select fold from platform.tallied where source = of_source);
end $$;

drop trigger report_tally_insert on reporting.report;
drop trigger report_tally_update on reporting.report;
drop trigger report_tally_delete on reporting.report;
drop trigger report_verdict_insert on reporting.report;
drop trigger report_verdict_update on reporting.report;
drop trigger report_verdict_delete on reporting.report;
drop function reporting.tally_inserted;
drop function reporting.tally_updated;
drop function reporting.tally_removed;
drop function reporting.judged_inserted;
drop function reporting.judged_changed;
drop function reporting.judged_removed;
drop table reporting.report_tally, reporting.trade_tally, reporting.verdict_tally;

select platform.keep_tallies('reporting.report', 'created_at', '(select zone from reporting.tally_zone)',
  '{day, month, all}', '{
    "report_tally": {"of": [], "split": ["deleted", "closed", "verdict"]},
    "trade_tally": {"of": ["trade"], "split": ["deleted", "closed", "verdict"]}}');
