import assert from "node:assert/strict";
import { test } from "node:test";
import { makeCertificate } from "#test/certificate.ts";
import { startMailServer } from "#test/stand-ins/mail-server.ts";
import { isMailAddress } from "#platform/contract/mail-address.ts";
import { readMailServer, sendMail } from "./mail.ts";

const mail = {
  from: "quintet@example.edu",
  to: ["night@example.edu", "day@example.edu"],
  subject: "Quintet 1 项告警",
  text: "磁盘不足",
  id: "a1",
};
const certificate = makeCertificate("127.0.0.1");

test("a mail server's address is read, and a password never goes in clear", () => {
  const host = "mail.example.edu";
  const read = {
    host,
    port: 465,
    secure: true,
    requireTLS: false,
    ignoreTLS: false,
    auth: { user: "a@b", pass: "p#w" },
  };
  assert.deepEqual(readMailServer(`smtps://a%40b:p%23w@${host}`), read);
  assert.equal(readMailServer(`smtp://${host}`).requireTLS, true);
  assert.equal(readMailServer("smtp://10.0.0.1:25?tls=none").ignoreTLS, true);
  for (const url of ["", host, `http://${host}`, `smtp://a:b@${host}?tls=none`, "smtp://x/y"])
    assert.throws(() => readMailServer(url), url);
});

test("what would be several recipients, or a header, is no mail address", () => {
  assert.ok(isMailAddress("night.shift+1@example.edu"));
  for (const text of ["", "night", "a@b,c@d", "a@b\r\nbcc: x@y", "<a@b>", "a b@c", `${"a".repeat(300)}@b`])
    assert.equal(isMailAddress(text), false, text);
});

test("a mail goes by STARTTLS to a server whose certificate is good, and to no other", async (context) => {
  const server = await startMailServer({ ...certificate });
  context.after(() => server.close());
  const address = readMailServer(`smtp://127.0.0.1:${server.port}`);
  const refused = await sendMail(address, mail);
  assert.match(refused.error ?? "", /^mail not accepted, /);
  assert.equal(server.mails.length, 0);
  const sent = await sendMail(address, mail, { ca: certificate.cert });
  assert.equal(sent.error, null);
  const [got] = server.mails;
  assert.deepEqual([got?.wasEncrypted, got?.from, got?.to], [true, mail.from, mail.to]);
  assert.match(got?.raw ?? "", /^Message-ID: <a1@example\.edu>/m);
});

test("a server that offers no encryption is sent nothing", async (context) => {
  const server = await startMailServer();
  context.after(() => server.close());
  const { error } = await sendMail(readMailServer(`smtp://127.0.0.1:${server.port}`), mail);
  assert.match(error ?? "", /^(?:SMTP \d+|mail not accepted), ETLS$/);
  assert.equal(server.mails.length, 0);
});

test("a refusal is told with its number, its words only to who asked; silence ends", async (context) => {
  const server = await startMailServer({
    onRcptTo: (_address, _session, done) =>
      done(Object.assign(new Error("no such mailbox night@example.edu"), { responseCode: 550 })),
  });
  context.after(() => server.close());
  const outcome = await sendMail(readMailServer(`smtp://127.0.0.1:${server.port}?tls=none`), mail);
  assert.match(outcome.error ?? "", /^SMTP 550, /);
  assert.doesNotMatch(outcome.error ?? "", /mailbox/);
  assert.match(outcome.said ?? "", /no such mailbox/);
  const silent = await startMailServer({ onConnect: () => {} });
  context.after(() => silent.close());
  const late = await sendMail(readMailServer(`smtp://127.0.0.1:${silent.port}?tls=none`), mail, { timeoutMs: 100 });
  assert.match(late.error ?? "", /^mail not accepted, /);
});
