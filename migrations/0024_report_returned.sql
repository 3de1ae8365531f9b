-- beside: 0006

-- Verdict 3: returned to the submitter, who may change the report once and send it to be judged again. What programs beside this one
-- read of such a report is a number that they do not know; they go on serving it.
alter table reporting.report drop constraint report_verdict_check;
alter table reporting.report add constraint report_verdict_check check (verdict in (0, 1, 2, 3)) not valid;

alter table reporting.report_event drop constraint report_event_what_check;
alter table reporting.report_event add constraint report_event_what_check
  check (what in ('judged', 'closed', 'deleted', 'supplemented')) not valid;
alter table reporting.report_event drop constraint report_event_verdict_check;
alter table reporting.report_event add constraint report_event_verdict_check check (verdict in (1, 2, 3)) not valid;

-- Of supplemented: [{field, before, after}].
alter table reporting.report_event add column changes json;

-- What administrators often give as a reason, in the order of their keys.
create table reporting.reason (
  place smallint primary key check (place between 1 and 9),
  text text not null
);
select platform.keep_changes('reporting.reason', 'place');
