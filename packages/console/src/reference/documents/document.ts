import type { JsonSchema } from '../schema/json-schema.ts'

/** A JSON object of a document. */
export type Json = Readonly<Record<string, unknown>>

/** Which kind of interface a document describes. */
export type DocumentKind = 'openapi' | 'openrpc' | 'proto'

/** One document of the specifications, as the build wrote it. */
export interface ReferenceDocument {
  /** Name in URLs of this page, for example `jetton-v3`. */
  readonly name: string
  /** Its API family, by the name in the protocols of nodes. */
  readonly family: string
  readonly kind: DocumentKind
  /** The bundled OpenAPI or OpenRPC document without hidden parts, or a {@link ProtoContent}. */
  readonly content: Json
}

/** Services and messages of proto files. */
export interface ProtoContent extends Json {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly services: readonly ProtoService[]
  /** Messages and enums by full name, as schemas whose types are those of protocol buffers. */
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

/** A service of a proto file. */
export interface ProtoService {
  /** With its package, for example `geyser.Geyser`. */
  readonly name: string
  readonly description: string
  readonly methods: readonly ProtoMethod[]
}

/** A method of a service. */
export interface ProtoMethod {
  readonly name: string
  readonly description: string
  readonly isDeprecated: boolean
  readonly request: ProtoMessageUse
  readonly response: ProtoMessageUse
}

/** The request or response message of a method. */
export interface ProtoMessageUse {
  /** Full name of the message. */
  readonly message: string
  readonly isStream: boolean
}
