import { fuzzWorkbooks } from "#test/attendance/fuzz.ts";
console.log(await fuzzWorkbooks({ seed: Number(process.argv[2]), rounds: Number(process.argv[3]) }));
