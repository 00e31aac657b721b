import type { Route } from '@fairlead/core'
import { describe, expect, it } from 'vitest'
import { deprecationHeaders } from './deprecation-headers.ts'

const route: Route = {
  operationId: 'listShips',
  method: 'GET',
  path: '/ships',
  pathParameters: {},
  query: {},
  responses: {},
}

describe('the headers of a deprecated operation', () => {
  it('are absent for an operation that is not deprecated', () => {
    expect(deprecationHeaders(route)).toEqual({})
  })

  it('contain the start in seconds, and the sunset as an HTTP date', () => {
    const ending: Route = {
      ...route,
      deprecated: true,
      deprecatedSince: '2026-11-22',
      sunset: '2027-06-30',
    }
    expect(deprecationHeaders(ending)).toEqual({
      deprecation: '@1795305600',
      sunset: 'Wed, 30 Jun 2027 00:00:00 GMT',
    })
  })

  it('omit a date that the specification does not contain', () => {
    expect(deprecationHeaders({ ...route, deprecated: true })).toEqual({})
  })
})
