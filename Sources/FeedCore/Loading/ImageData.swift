/// The bytes of an image and their type.
package struct ImageData: Hashable, Sendable {
    package let bytes: [UInt8]
    package let type: ImageType
    package let validators: Validators

    package init(bytes: [UInt8], type: ImageType, validators: Validators = Validators()) {
        self.bytes = bytes
        self.type = type
        self.validators = validators
    }
}
