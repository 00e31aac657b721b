import { createRequire } from 'node:module'
import type native from '@triton-one/yellowstone-grpc'

// Node.js and the bundler of the tests interpret the default export of this package differently.
const loaded = createRequire(import.meta.url)('@triton-one/yellowstone-grpc') as typeof native

export const {
  default: NativeClient,
  CommitmentLevel,
  CompressedAccountFilterSet,
  SlotStatus,
  SubscribeRequest,
  SubscribeUpdate,
  txEncode,
  txErrDecode,
} = loaded
export type { ClientDuplexStream as NativeStream } from '@triton-one/yellowstone-grpc'
