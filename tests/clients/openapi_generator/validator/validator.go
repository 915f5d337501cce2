// Package validator stands in for the library that the generated client checks values with.
package validator

// Validate takes any value.
func Validate(any) error { return nil }
