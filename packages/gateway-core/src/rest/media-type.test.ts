import { expect, it } from 'vitest'
import { acceptable, mediaType } from './media-type.ts'

const json = 'application/json'
const ssz = 'application/octet-stream'

it.each([
  [undefined, [json, ssz]],
  ['', [json, ssz]],
  ['*/*', [json, ssz]],
  ['application/*', [json, ssz]],
  [json, [json]],
  ['application/json; charset=utf-8', [json]],
  ['APPLICATION/OCTET-STREAM', [ssz]],
  ['application/octet-stream;q=1.0,application/json;q=0.9', [ssz, json]],
  ['application/octet-stream ; q=0.5 , application/json', [json, ssz]],
  ['application/octet-stream;q=0.9,*/*;q=0.1', [ssz, json]],
  ['application/json;q=0, */*', [ssz]],
  ['*/*;q=0', []],
  ['text/html', []],
  ['text/html, */*;q=0.1', [json, ssz]],
  ['application/json;q=2', [json, ssz]],
  ['application/json;q=', [json, ssz]],
  ['nonsense', [json, ssz]],
  ['nonsense, application/octet-stream', [ssz]],
])('of JSON and SSZ, %j selects %j', (header, expected) => {
  expect(acceptable(header, [json, ssz])).toEqual(expected)
})

it('matches a media type by its name alone', () => {
  expect(mediaType('Application/JSON ; charset=utf-8')).toBe(json)
})
