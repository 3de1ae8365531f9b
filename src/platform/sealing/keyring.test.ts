import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { noKeys, openDataKey, openKeyring, readDataKey } from "./keyring.ts";
import { loadKeyring } from "./settings.ts";

const newKey = () => openDataKey(randomBytes(32));
const [first, second] = [newKey(), newKey()];
const place = "library.reader.phone";
const phone = "555 0100 0001 张三";

describe("a sealed value", () => {
  const keys = openKeyring(first);
  const sealed = keys.seal(place, phone);

  test("opens in its column by its key, and no two are alike", () => {
    assert.match(sealed, new RegExp(`^sealed:A256GCM:${first.id}:[A-Za-z0-9_-]+$`));
    assert.equal(keys.open(place, sealed), phone);
    assert.equal(keys.open(place, sealed), phone);
    assert.notEqual(keys.seal(place, phone), sealed);
    assert.doesNotMatch(sealed, /555|0100/);
  });

  test("does not open in another column, by another key, nor when it was changed; what it says repeats none of it", () => {
    const at = sealed.length - 4;
    const changed = sealed.slice(0, at) + (sealed[at] === "A" ? "B" : "A") + sealed.slice(at + 1);
    assert.throws(() => keys.open("library.reader.card", sealed), /library\.reader\.card was modified or moved/);
    assert.throws(() => keys.open(place, changed), /was modified/);
    assert.throws(() => keys.open(place, sealed.slice(0, -20)), /was modified/);
    assert.throws(() => keys.open(place, `sealed:A256GCM:${first.id}:`), /was modified/);
    assert.throws(
      () => openKeyring(second).open(place, sealed),
      new RegExp(`encrypted with the unknown data key ${first.id}`),
    );
    assert.throws(() => noKeys.open(place, sealed), /unknown data key/);
  });

  test("of an older key opens beside the present one, which seals what is new", () => {
    const both = openKeyring(second, [first]);
    assert.equal(both.open(place, sealed), phone);
    assert.match(both.seal(place, phone), new RegExp(`^sealed:A256GCM:${second.id}:`));
    const leaving = openKeyring(undefined, [first]);
    assert.equal(leaving.open(place, sealed), phone);
    assert.equal(leaving.seal(place, phone), phone);
  });

  test("of which a page has been read is forgotten before the process is full of them", () => {
    for (let n = 0; n < 5000; n++) assert.equal(keys.open(place, keys.seal(place, `${n}`)), `${n}`);
  });
});

describe("what only looks sealed", () => {
  test("stays what it is, with a key and without", () => {
    const planted = `sealed:A256GCM:${first.id}:AAAAAAAAAAAAAAAA`;
    assert.equal(openKeyring(first).open(place, noKeys.seal(place, planted)), planted);
    assert.equal(noKeys.open(place, noKeys.seal(place, planted)), planted);
    const keys = openKeyring(first);
    assert.equal(keys.open(place, keys.seal(place, planted)), planted);
  });

  test("is nobody's card: whoever sends what the database has of one finds nothing by it", () => {
    const keys = openKeyring(first);
    const found = keys.blindIndex(place, phone);
    assert.ok(!keys.lookupTerms(place, found).includes(found));
    assert.ok(keys.lookupTerms(place, phone).includes(found));
  });
});

test("a value is found by the same text under each key, by another one in each column; without a key by itself", () => {
  const both = openKeyring(second, [first]);
  assert.deepEqual(both.lookupTerms(place, phone), [
    both.blindIndex(place, phone),
    openKeyring(first).blindIndex(place, phone),
    phone,
  ]);
  assert.notEqual(both.blindIndex(place, phone), both.blindIndex("library.reader.card", phone));
  assert.equal(noKeys.blindIndex(place, phone), phone);
  assert.deepEqual(noKeys.lookupTerms(place, phone), [phone]);
});

test("the key comes from its setting or a file, whose failures repeat nothing of it", async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), "quintet-key-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = path.join(folder, "key");
  const text = randomBytes(32).toString("base64");
  const { id } = openDataKey(readDataKey(text));
  await writeFile(file, `${text}\n`);
  assert.equal((await loadKeyring({})).currentId, undefined);
  assert.equal((await loadKeyring({ DATA_KEY: text })).currentId, id);
  assert.equal((await loadKeyring({ DATA_KEY_FILE: file })).currentId, id);
  const older = randomBytes(32).toString("base64");
  assert.deepEqual((await loadKeyring({ DATA_KEY: text, DATA_KEY_OLD: `${older}, ${older}` })).ids.length, 3);
  await assert.rejects(loadKeyring({ DATA_KEY_FILE: `${file}x` }), /DATA_KEY_FILE: cannot be read \(ENOENT\)/);
  await writeFile(file, "Geheimnis");
  await assert.rejects(loadKeyring({ DATA_KEY_FILE: file }), (error: Error) => {
    assert.match(error.message, /^DATA_KEY_FILE: is not 32 bytes/);
    return !error.message.includes("Geheimnis");
  });
});
