import { describe, expect, test } from 'vitest'
import { GrpcError } from './grpc-error.ts'
import { headersToMetadata, metadataToHeaders } from './metadata-headers.ts'
import { decodeStatusMessage, encodeStatusMessage } from './status-message.ts'
import { parseStatus, Status, statusName, statusOfHttp } from './status.ts'
import { formatTimeout, parseTimeout } from './timeout.ts'
import { errorOfTrailers, frameTrailers, parseTrailers } from './trailers.ts'

describe('metadata', () => {
  test('round-trips through headers', () => {
    const metadata = {
      'x-token': 'a b',
      empty: '',
      'trace-bin': Uint8Array.of(0, 255, 128),
      'many-bin': [Uint8Array.of(1), Uint8Array.of(2, 3)],
      many: ['a', 'b'],
    }
    const headers = metadataToHeaders(metadata)
    expect(headers).toMatchObject({ 'trace-bin': 'AP+A', 'many-bin': ['AQ', 'AgM'] })
    expect(headersToMetadata(headers)).toEqual(metadata)
  })

  test('accepts base64 with and without padding, joined by commas, and skips invalid values', () => {
    expect(headersToMetadata({ 'a-bin': 'AQ==, AgM', 'b-bin': '!', 'c-bin': 'AQ,!' })).toEqual({
      'a-bin': [Uint8Array.of(1), Uint8Array.of(2, 3)],
      'c-bin': Uint8Array.of(1),
    })
  })

  test('excludes the headers of the protocol', () => {
    const headers = { ':status': '200', 'content-type': 'application/grpc', 'grpc-status': '0', a: undefined }
    expect(headersToMetadata(headers)).toEqual({})
  })

  test('rejects entries that cannot be sent and never shows the value', () => {
    const wrong = {
      'X-Token': 's3cret',
      ':path': 's3cret',
      'grpc-timeout': 's3cret',
      'a-bin': 's3cret',
      a: Uint8Array.of(1),
      'x-token': 's3cret\n',
      b: ' s3cret',
      c: 's3crét',
    }
    for (const [name, value] of Object.entries(wrong)) {
      const refused = catchError(() => metadataToHeaders({ [name]: value }))
      expect(refused.code).toBe(Status.INVALID_ARGUMENT)
      expect(refused.message).toContain(`metadata entry "${name}"`)
      expect(refused.message).not.toMatch(/s3cr/)
    }
  })
})

describe('metadata of HTTP itself', () => {
  test('has one value', () => {
    expect(metadataToHeaders({ 'retry-after': ['1'] })).toEqual({ 'retry-after': ['1'] })
    const refused = catchError(() => metadataToHeaders({ 'retry-after': ['1', '2'] }))
    expect(refused.message).toBe('INVALID_ARGUMENT: metadata entry "retry-after" may have one value only')
  })
})

describe('grpc-message', () => {
  test('escapes everything but printable ASCII', () => {
    expect(encodeStatusMessage('a: /b?c=~')).toBe('a: /b?c=~')
    expect(encodeStatusMessage('100%\n é')).toBe('100%25%0A %C3%A9')
    expect(encodeStatusMessage(' a ')).toBe('%20a%20')
    expect(encodeStatusMessage('\ud800')).toBe('%EF%BF%BD')
  })

  test('decodes any text that was encoded', () => {
    for (const text of ['', ' a ', '%', '%25', 'é😀\r\n', '漢字'])
      expect(decodeStatusMessage(encodeStatusMessage(text))).toBe(text)
  })

  test('preserves invalid escapes', () => {
    expect(decodeStatusMessage('50% %zz %4 %C3')).toBe('50% %zz %4 \ufffd')
  })
})

describe('grpc-timeout', () => {
  test('is formatted with at most 8 digits, rounded up', () => {
    expect([0, 0.2, 1.5, 30_000, 99_999_999].map(formatTimeout)).toEqual([
      '1m',
      '1m',
      '2m',
      '30000m',
      '99999999m',
    ])
    expect([100_000_001, 1e11, 1e13, 1e300].map(formatTimeout)).toEqual([
      '100001S',
      '1666667M',
      '2777778H',
      '99999999H',
    ])
  })

  test('is parsed in every unit', () => {
    expect(['1H', '2M', '3S', '4m', '5000u', '6000000n'].map(parseTimeout)).toEqual([
      3_600_000, 120_000, 3000, 4, 5, 6,
    ])
    for (const text of ['', '5', 'S', '123456789S', '-1S', '1.5S', '1s'])
      expect(parseTimeout(text)).toBeUndefined()
  })
})

describe('status', () => {
  test('has 17 codes with names', () => {
    expect(Object.values(Status)).toEqual([...Array(17).keys()])
    expect(statusName(Status.UNAUTHENTICATED)).toBe('UNAUTHENTICATED')
    expect(parseStatus('17')).toBe(Status.UNKNOWN)
    for (const text of ['', '-1', '1.0', '0x1', '1e1']) expect(parseStatus(text)).toBeUndefined()
  })

  test('is mapped from HTTP for a response of a proxy', () => {
    expect([400, 401, 403, 404, 429, 502, 503, 504, 500, 200].map(statusOfHttp)).toEqual([
      13, 16, 7, 12, 14, 14, 14, 14, 2, 2,
    ])
  })
})

describe('trailers', () => {
  test('contain the status with its message and metadata', () => {
    expect(errorOfTrailers({ 'grpc-status': '0', 'grpc-message': 'x' })).toBeUndefined()
    const error = errorOfTrailers({ 'grpc-status': '16', 'grpc-message': 'no%20way', 'a-bin': 'AQ' })
    expect(error).toMatchObject({ code: 16, detail: 'no way', metadata: { 'a-bin': Uint8Array.of(1) } })
    expect(error?.message).toBe('UNAUTHENTICATED: no way')
    expect(GrpcError.is(error, 16)).toBe(true)
    expect(GrpcError.is(error, 14)).toBe(false)
    expect(GrpcError.is(new Error('x'))).toBe(false)
  })

  test('can repeat the same status, but not contain two', () => {
    expect(errorOfTrailers({ 'grpc-status': '0, 0' })).toBeUndefined()
    for (const status of ['0, 5', 'x', undefined, [], ['5', '6']])
      expect(errorOfTrailers({ 'grpc-status': status })?.code).toBe(Status.UNKNOWN)
  })

  test('round-trip through a frame of gRPC-web', () => {
    const framed = frameTrailers({
      'grpc-status': '0',
      'grpc-message': 'é',
      many: ['a', 'b'],
      none: undefined,
    })
    expect([...framed.subarray(0, 5)]).toEqual([0x80, 0, 0, 0, framed.length - 5])
    expect(parseTrailers(framed.subarray(5))).toEqual({
      'grpc-status': ['0'],
      'grpc-message': ['é'],
      many: ['a', 'b'],
    })
    expect(parseTrailers(new TextEncoder().encode('Grpc-Status:5\nbroken\r\n'))).toEqual({
      'grpc-status': ['5'],
    })
  })
})

function catchError(run: () => unknown): GrpcError {
  try {
    run()
  } catch (error) {
    if (GrpcError.is(error)) return error
  }
  throw new Error('no GrpcError was thrown')
}
