"""Oblivious trees and graphs as text, JSON and SQL."""
