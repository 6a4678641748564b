import type { ScalingFile } from "../configs/scaling/scalingFile";
import { isRemote, routed, type Host } from "../host";
import type { StoreQuery } from "../runs/options";
import { secretAddress } from "../sources/secret";
import { isStore, storePlace } from "../sources/stores";
import { storeUri } from "./globs";

/**
 * Asks the stores that `logs:` of a scaling.yaml names, and no other: a cell, an agent's tool or a config must not make the
 * editor contact what nobody wrote down there.
 * @param folderUri where scaling.yaml stands
 */
export function onlyNamed(stores: StoreQuery, scaling: ScalingFile | null, folderUri: string): StoreQuery {
  const named = new Set(
    (scaling?.logs ?? []).flatMap(({ value }) => {
      const place = isStore(value) ? storePlace(storeUri(folderUri, value)) : "";
      return typeof place === "string" ? [] : [place.uri];
    }),
  );
  return (uri, sql, signal) => {
    // What is asked of it (`?runs=`) is no part of an address here; what the driver reads (`?host=`) is.
    if (!named.has(uri)) throw new Error("scaling.yaml does not name it under logs:, so it is not asked");
    return stores(uri, sql, signal);
  };
}

/** Addresses of `logs:` that may want a secret, each as the secret is kept under. */
export function secretAddresses(scaling: ScalingFile | null): string[] {
  return [...new Set((scaling?.logs ?? []).flatMap(({ value }) => secretAddress(value) ?? []))];
}

/** Whether a place on a server or in a bucket is one of some, or below one of them and not above it again. */
export function placesOf(places: readonly string[]): (uri: string) => boolean {
  const bare = (uri: string) => uri.replace(/\/+$/, "");
  const isBelow = (uri: string, place: string) =>
    uri.startsWith(`${bare(place)}/`) && !/(^|[/\\])(\.|%2e){1,2}([/\\?#]|$)/i.test(uri.slice(bare(place).length));
  return (uri) => places.some((place) => bare(uri) === bare(place) || isBelow(uri, place));
}

/** Places on servers and in buckets through one host, all others through another. */
export function bySource(here: Host, remote: Host): Host {
  return {
    ...here,
    ...routed((uri) => (isRemote(uri) ? remote : here)),
    ...(remote.trouble && { trouble: (uri: string) => remote.trouble!(uri) }),
  };
}
