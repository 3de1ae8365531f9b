-- Submitters who have signed in by the messaging platform. Of the token that stands for them only its hash is kept; the open
-- identifier never leaves the server.
create table reporting.submitter_session (
  token_hash bytea primary key,
  open_id text not null,
  expires_at timestamptz not null
);
create index submitter_session_expiry on reporting.submitter_session (expires_at);

-- A submitter's own reports, newest first.
create index report_of_submitter on reporting.report (open_id, created_at, id) where open_id is not null;
