import type { Route } from '@fairlead/core'

/**
 * The headers of a response whose operation is deprecated, with the date of its removal; none for most operations.
 *
 * @see RFC 9745 for `Deprecation`, RFC 8594 for `Sunset`
 */
export function deprecationHeaders({ deprecatedSince, sunset }: Route): Readonly<Record<string, string>> {
  return {
    ...(deprecatedSince !== undefined && { deprecation: `@${Date.parse(deprecatedSince) / 1_000}` }),
    ...(sunset !== undefined && { sunset: new Date(sunset).toUTCString() }),
  }
}
