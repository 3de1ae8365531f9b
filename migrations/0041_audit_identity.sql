-- beside: 0026
-- What has come beside the audit log's before and after: whose identity opens which account, and second factors.

select platform.keep_changes('platform.external_identity', 'id', '{id, created_at, last_sign_on_at}');
-- Recovery codes stay out: hashes in place of hashes, ten at a time, tell nobody anything.
select platform.keep_changes('platform.factor', 'id',
  '{id, public_key, credential_id, transports, counter, told_steps, created_at, last_used_at}', '{}', '{seed}');
