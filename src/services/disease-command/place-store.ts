import type { capacity, scenicSpot, toilet } from "./place-contract.ts";
import { compileRead, contains, type FieldOf, plain, type RecordTable, toArray, yesOrNo } from "./record-store.ts";

export const scenicSpots: RecordTable<FieldOf<typeof scenicSpot>> = {
  table: "disease_command.scenic_spot",
  columns: {
    scenicSpotName: plain("name"),
    scenicSpotDesc: plain("description"),
    responsibler: plain("person_in_charge"),
    responsiblerPhone: plain("phone"),
    numOfEmergencyCrew: plain("emergency_crew"),
    numOfEmergencMaterial: plain("emergency_material"),
    image: plain("image"),
    urlOfVr: plain("vr_url"),
  },
  unique: { scenic_spot_name_key: "scenicSpotName" },
  files: "image",
  hasOneFile: true,
};

export const capacities: RecordTable<FieldOf<typeof capacity>> = {
  table: "disease_command.capacity",
  columns: { scenicSpotName: plain("scenic_spot_name"), maxCapacity: plain("max_visitors") },
  unique: { capacity_scenic_spot_key: "scenicSpotName" },
};

export const toilets: RecordTable<FieldOf<typeof toilet>> = {
  table: "disease_command.toilet",
  columns: {
    name: plain("name"),
    addrDesc: plain("address"),
    level: plain("level"),
    area: plain("area"),
    numOfBarrierFree: plain("barrier_free_stalls"),
    numOfThird: plain("third_restrooms"),
    numOfMan: plain("men_stalls"),
    numOfWoman: plain("women_stalls"),
    numOfCommon: plain("common_stalls"),
    longitudeAndLatitude: plain("longitude_latitude"),
    itemNo: plain("item_number"),
    status: yesOrNo("open"),
    sort: plain("sort"),
    thirdOpenFlag: plain("third_open_flag"),
    thirdOpenId: plain("third_open_id"),
  },
  filters: { keyword: contains("name", "address") },
  unique: { toilet_name_key: "name" },
  places: { itemNo: "item_number" },
};

/** Without `more`, PostgreSQL answers this query by an index-only scan. */
const openToilets = (more: string): string =>
  toArray(`
  select id, name, longitude_latitude as "longitudeAndLatitude", coalesce(third_open_flag, '-1') as flag${more}
  from disease_command.toilet where open order by sort, id`);

export const miniToilets = openToilets("");

export const listMiniToilets = compileRead(miniToilets);

export const listNearbyToilets = compileRead(
  openToilets(`, address as "addrDesc", barrier_free_stalls as "numOfBarrierFree", third_restrooms as "numOfThird",
    men_stalls as "numOfMan", women_stalls as "numOfWoman", common_stalls as "numOfCommon"`),
);
