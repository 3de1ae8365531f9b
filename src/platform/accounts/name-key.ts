// Names that people take for one another are one name: when an account is made, at every login, and where failed logins
// are counted. Unicode's list of look-alikes has six thousand pairs, most of them in scripts that nobody here can type;
// these are the letters of Cyrillic and Greek, and a few of phonetics, that could be a Latin one.
const alike = [
  ["авсԁеѕһніӏјкморԛгтуѵԝхьү", "abcdeshhiljkmopqrtyvwxby"],
  ["αβεζηικμνορτυχγϲϳ", "abeznikmvoptuxycj"],
  ["ıɑɡɩ", "iagi"],
] as const;
const latin = new Map(alike.flatMap(([letters, twins]) => Array.from(letters, (letter, at) => [letter, twins[at]])));

const blanks = /[\p{White_Space}\u2800]+/gu;
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]/gu;

/**
 * What all names have in common that look like this one, whatever their case, width, blanks, invisible characters and
 * alphabet; "" for a name of which nothing is seen. The caller has judged the name's length: normalising is not linear.
 */
export function toNameKey(userName: string): string {
  const folded = userName.normalize("NFKC").toLowerCase().normalize("NFKC");
  const seen = folded.replace(blanks, " ").replace(unseen, "").replace(/ {2,}/g, " ").trim();
  return Array.from(seen, (letter) => latin.get(letter) ?? letter).join("");
}
