import { endpoint } from "#platform/contract/endpoint.ts";
import { mapDescription } from "#platform/contract/map-settings.ts";

export const mapEndpoints = {
  readMapSettings: endpoint({
    method: "GET",
    url: "/map/settings",
    summary: "What every map of the pages is drawn with; null: not set",
    access: { who: "anyone" },
    answer: { as: "envelope", data: mapDescription },
    own: true,
  }),
};
