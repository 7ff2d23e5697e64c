"""Compiled rays of pictures: their first hits and colours."""
